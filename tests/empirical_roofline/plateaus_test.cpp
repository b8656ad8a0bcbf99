// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/plateaus.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;

// As on an H200: 228 KiB of L1 per SM, 60 MiB of L2.
std::vector<TierCapacityRange> gpu_tiers() {
  return {{MemoryLevel::shared, 228 * kKiB},
          {MemoryLevel::l2, 60 * kMiB},
          {MemoryLevel::hbm, std::numeric_limits<double>::infinity()}};
}

// Two points per octave from 4 KiB to 1 GiB; `latency_s` maps a working set to its latency.
template <typename Function>
std::vector<SweepPoint> curve(Function latency_s) {
  std::vector<SweepPoint> points;
  for (double bytes = 4 * kKiB; bytes <= 1024 * kMiB; bytes *= std::sqrt(2.0)) {
    points.push_back({"chase", bytes, latency_s(bytes), "s"});
  }
  return points;
}

const Plateau* find(const std::vector<Plateau>& plateaus, MemoryLevel level) {
  for (const Plateau& p : plateaus) {
    if (p.level == level) return &p;
  }
  return nullptr;
}

TEST(Plateaus, ReadsTiersAndTheirSizesOffACurve) {
  const auto plateaus = find_plateaus(curve([](double bytes) {
                                        if (bytes <= 200 * kKiB) return 17e-9;
                                        if (bytes <= 30 * kMiB) return 143e-9;
                                        if (bytes <= 80 * kMiB) return 143e-9 * bytes / (30 * kMiB);
                                        return 420e-9;
                                      }),
                                      gpu_tiers());
  ASSERT_EQ(plateaus.size(), 3u);
  EXPECT_NEAR(find(plateaus, MemoryLevel::shared)->value, 17e-9, 1e-12);
  EXPECT_NEAR(find(plateaus, MemoryLevel::l2)->value, 143e-9, 1e-12);
  EXPECT_NEAR(find(plateaus, MemoryLevel::hbm)->value, 420e-9, 1e-12);
  EXPECT_LE(find(plateaus, MemoryLevel::shared)->last_bytes, 200 * kKiB);
  EXPECT_GT(find(plateaus, MemoryLevel::shared)->last_bytes, 140 * kKiB);
  EXPECT_LT(find(plateaus, MemoryLevel::l2)->last_bytes, 40 * kMiB);
}

// L2 has no plateau: it must be missing, and HBM must not be labeled L2.
TEST(Plateaus, AMissingTierDoesNotRenameAnother) {
  const auto plateaus = find_plateaus(curve([](double bytes) {
                                        if (bytes <= 200 * kKiB) return 17e-9;
                                        if (bytes <= 100 * kMiB)
                                          return 17e-9 * bytes / (200 * kKiB);
                                        return 9e-6;
                                      }),
                                      gpu_tiers());
  EXPECT_NE(find(plateaus, MemoryLevel::shared), nullptr);
  EXPECT_EQ(find(plateaus, MemoryLevel::l2), nullptr);
  ASSERT_NE(find(plateaus, MemoryLevel::hbm), nullptr);
  EXPECT_NEAR(find(plateaus, MemoryLevel::hbm)->value, 9e-6, 1e-9);
}

// A cache with a near and a far half has two plateaus; the wider one is kept.
TEST(Plateaus, TheWiderOfTwoPlateausInATierIsKept) {
  const auto plateaus = find_plateaus(curve([](double bytes) {
                                        if (bytes <= 200 * kKiB) return 17e-9;
                                        if (bytes <= 20 * kMiB) return 140e-9;
                                        if (bytes <= 60 * kMiB) return 200e-9;
                                        return 500e-9;
                                      }),
                                      gpu_tiers());
  ASSERT_EQ(plateaus.size(), 3u);
  EXPECT_NEAR(find(plateaus, MemoryLevel::l2)->value, 140e-9, 1e-12);
}

TEST(Plateaus, ASlopeOrTooFewPointsAreNotAPlateau) {
  EXPECT_TRUE(
      find_plateaus(curve([](double bytes) { return 1e-15 * bytes; }), gpu_tiers()).empty());
  EXPECT_TRUE(
      find_plateaus({{"chase", 4096, 1e-8, "s"}, {"chase", 8192, 1e-8, "s"}}, gpu_tiers()).empty());
  EXPECT_TRUE(find_plateaus({}, gpu_tiers()).empty());
}

TEST(Plateaus, BrokenPointsAreLeftOut) {
  auto points = curve([](double) { return 1e-8; });
  points[3].value = std::nan("");
  points[5].value = 0;
  const auto plateaus = find_plateaus(points, gpu_tiers());
  ASSERT_FALSE(plateaus.empty());
  EXPECT_NEAR(plateaus[0].value, 1e-8, 1e-12);
}

TEST(ReportedTiers, ALatencySweepSeesOneCoreAndABandwidthSweepAll) {
  kernels::DeviceInfo host;
  host.l1_bytes = 48 * kKiB;
  host.l1_count = 8;
  host.l2_bytes = 2 * kMiB;
  host.l2_count = 8;
  const auto one = reported_tiers(host, kernels::KernelRole::latency_ceiling);
  ASSERT_EQ(one.size(), 3u) << "no L3 is reported, so none is named";
  EXPECT_EQ(one[0].capacity_bytes, 48 * kKiB);
  EXPECT_EQ(one[2].level, MemoryLevel::dram);
  EXPECT_EQ(reported_tiers(host, kernels::KernelRole::bandwidth_ceiling)[0].capacity_bytes,
            8 * 48 * kKiB);
}

}  // namespace
}  // namespace mansard::roofline
