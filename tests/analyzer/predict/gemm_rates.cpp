// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/gemm_rates.h"

#include <gtest/gtest.h>

namespace mansard {
namespace {

// 100 TFLOP/s, 2 ns for each 1000 quantised elements and 5 us for a launch.
std::vector<MeasuredLayer> synthetic(double rate_of_large_k) {
  std::vector<MeasuredLayer> layers;
  for (const double m : {4096., 8192., 16384.}) {
    for (const double n : {4096., 8192., 16384.}) {
      for (const double k : {4096., 8192., 16384.}) {
        const GemmShape s = {m, n, k};
        const double rate = k > 10000 ? rate_of_large_k : 100e12;
        layers.push_back({s, s.flop() / rate + 2e-12 * m * k + 5e-6});
      }
    }
  }
  return layers;
}

TEST(GemmRates, TakesTheQuantisationOff) {
  // HBM so fast that its floor does not hold.
  const GemmRates rates(synthetic(100e12), 1, 1e15);
  EXPECT_NEAR(rates.quantise_s_per_element(), 2e-12, 1e-15);
  // What is left of a large layer is the product and 5 us of 43.98 ms.
  const GemmShape large = {16384, 16384, 8192};
  EXPECT_NEAR(rates.flop_per_s(large) / 100e12, 1, 0.01);
}

TEST(GemmRates, QuantisesNoFasterThanMemoryAllows) {
  // 5 bytes at 1 TB/s take 5 ns per 1000 elements, though the fit says 2.
  EXPECT_NEAR(GemmRates(synthetic(100e12), 5, 1e12).quantise_s_per_element(), 5e-12, 1e-18);
  EXPECT_EQ(GemmRates(synthetic(100e12), 0, 1e12).quantise_s_per_element(), 0);
}

TEST(GemmRates, TurnsAProductAndHoldsItsEnds) {
  const GemmRates rates(synthetic(60e12), 1, 1e15);
  const double near = rates.flop_per_s({4096, 16384, 16384});
  EXPECT_NEAR(rates.flop_per_s({16384, 4096, 16384}) / near, 1, 1e-12);
  EXPECT_LT(near, 80e12);
  EXPECT_GT(rates.flop_per_s({4096, 16384, 4096}), 80e12);
  // Far outside the nearest shapes count: as slow as the longest k, and a number.
  EXPECT_NEAR(rates.flop_per_s({8192, 8192, 1 << 24}) / rates.flop_per_s({8192, 8192, 16384}), 1,
              0.1);
  EXPECT_GT(rates.flop_per_s({1, 1, 1}), 0);
}

// A rate that is the same everywhere is predicted from the others without an error; the launches,
// which weigh more in small layers, leave a little.
TEST(GemmRates, LeavesOneOut) {
  std::vector<MeasuredLayer> flat;
  for (const MeasuredLayer& layer : synthetic(100e12)) {
    flat.push_back({layer.shape, layer.shape.flop() / 100e12});
  }
  EXPECT_NEAR(GemmRates(flat, 0, 1e12).leave_one_out_error(), 0, 1e-12);
  EXPECT_GT(GemmRates(synthetic(60e12), 1, 1e15).leave_one_out_error(), 0.05);
}

// 1794 layers: 26 sets of a GPU and a format with 69 shapes each. The error bars of the
// documentation are these.
TEST(GemmRates, OfMeasuredLayersAreKnownWithinTenPerCent) {
  std::size_t layers = 0;
  for (const MeasuredSet& set : measured_gemm_sets()) {
    layers += set.rates->size();
    EXPECT_LT(set.rates->leave_one_out_error(), 0.10) << set.gpu << " " << set.dtype;
    EXPECT_GT(set.rates->leave_one_out_error(), 0.02) << set.gpu << " " << set.dtype;
  }
  EXPECT_EQ(layers, 1794U);
  EXPECT_EQ(measured_gemm_rates("GB200", "fp6"), nullptr);
  EXPECT_EQ(measured_gemm_rates("H100 SXM", "nvfp4"), nullptr);
}

}  // namespace
}  // namespace mansard
