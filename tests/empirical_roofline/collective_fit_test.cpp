// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/collective_fit.h"

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

// The sweep of an all-reduce of `ranks` GPUs with this latency and bus bandwidth.
std::vector<SweepPoint> all_reduce(double latency_s, double bytes_per_s, int ranks,
                                   double error = 0) {
  std::vector<SweepPoint> points;
  double sign = 1;
  for (double bytes = 4096; bytes <= 1 << 30; bytes *= 4, sign = -sign) {
    const double bus = bytes * 2 * (ranks - 1) / ranks;
    const double call_s = (latency_s + bus / bytes_per_s) * (1 + sign * error);
    points.push_back({"nccl_all_reduce", bytes, bus / call_s, "B/s", ranks, call_s});
  }
  return points;
}

TEST(CollectiveFit, RecoversTheModel) {
  const std::vector<CollectiveFit> fits = fit_collectives(all_reduce(12e-6, 340e9, 8));
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0].kernel, "nccl_all_reduce");
  EXPECT_EQ(fits[0].ranks, 8);
  EXPECT_NEAR(fits[0].latency_s, 12e-6, 1e-10);
  EXPECT_NEAR(fits[0].bytes_per_s, 340e9, 1e6);
  EXPECT_LT(fits[0].largest_error, 1e-6);
}

TEST(CollectiveFit, StatesItsError) {
  const CollectiveFit fit = fit_collectives(all_reduce(12e-6, 340e9, 2, 0.1)).at(0);
  EXPECT_NEAR(fit.latency_s, 12e-6, 1e-6);
  EXPECT_NEAR(fit.bytes_per_s, 340e9, 30e9);
  EXPECT_GT(fit.largest_error, 0.08);
  EXPECT_LT(fit.largest_error, 0.2);
}

TEST(CollectiveFit, NeedsThreeSizesOfACollective) {
  std::vector<SweepPoint> points = all_reduce(12e-6, 340e9, 2);
  points.resize(2);
  EXPECT_TRUE(fit_collectives(points).empty());
  EXPECT_TRUE(
      fit_collectives({{"l2_read", 1e6, 1e12}, {"l2_read", 2e6, 1e12}, {"l2_read", 4e6, 1e12}})
          .empty());
}

}  // namespace
}  // namespace mansard::roofline
