// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/gemm_rates.h"

#include <cmath>

#include <gtest/gtest.h>

namespace mansard::analysis {
namespace {

// 100 TFLOP/s, 2 ns per 1000 quantized elements, and 5 us per launch.
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

TEST(GemmRates, SubtractsQuantization) {
  const GemmRates rates(synthetic(100e12), 1e-15);
  EXPECT_NEAR(rates.quantize_s_per_element(), 2e-12, 1e-15);
  // The rest of a large layer is the GEMM (43.98 ms) and 5 us.
  const GemmShape large = {16384, 16384, 8192};
  EXPECT_NEAR(rates.flop_per_s(large) / 100e12, 1, 0.01);
}

TEST(GemmRates, LimitsTheRateOfQuantization) {
  // At least 5 ns per 1000 elements, although the fit gives 2.
  EXPECT_NEAR(GemmRates(synthetic(100e12), 5e-12).quantize_s_per_element(), 5e-12, 1e-18);
  EXPECT_EQ(GemmRates(synthetic(100e12), 0).quantize_s_per_element(), 0);
}

// The conversion inside measured layers is not faster than conversions in training: NVFP4 on GB300
// moves 2 + 9/16 bytes per element at 0.60 x 8 TB/s.
TEST(GemmRates, QuantizationIsNotFasterThanInTraining) {
  EXPECT_NEAR(measured_gemm_rates("GB300", "nvfp4")->quantize_s_per_element(),
              2.5625 / (8e12 * 0.60), 1e-16);
}

TEST(GemmRates, AreSymmetricAndConstantOutside) {
  const GemmRates rates(synthetic(60e12), 1e-15);
  const double near = rates.flop_per_s({4096, 16384, 16384});
  EXPECT_NEAR(rates.flop_per_s({16384, 4096, 16384}) / near, 1, 1e-12);
  EXPECT_LT(near, 80e12);
  EXPECT_GT(rates.flop_per_s({4096, 16384, 4096}), 80e12);
  // Far outside, the nearest shapes are used: the rate of the largest k, and a finite number.
  EXPECT_NEAR(rates.flop_per_s({8192, 8192, 1 << 24}) / rates.flop_per_s({8192, 8192, 16384}), 1,
              0.1);
  EXPECT_GT(rates.flop_per_s({1, 1, 1}), 0);
}

// A constant rate has no leave-one-out error; launch overhead in small layers causes a small error.
TEST(GemmRates, LeaveOneOutError) {
  std::vector<MeasuredLayer> flat;
  for (const MeasuredLayer& layer : synthetic(100e12)) {
    flat.push_back({layer.shape, layer.shape.flop() / 100e12});
  }
  EXPECT_NEAR(GemmRates(flat, 0).leave_one_out_error(), 0, 1e-12);
  EXPECT_GT(GemmRates(synthetic(60e12), 1e-15).leave_one_out_error(), 0.05);
}

// Inside the measured shapes: the leave-one-out error. Two octaves below the smallest: 1.5 octaves
// beyond kWidth add 1.5 x 6 % in quadrature.
TEST(GemmRates, ErrorGrowsOutsideTheMeasuredShapes) {
  const GemmRates rates(synthetic(60e12), 1e-15);
  const double among = rates.error({8192, 8192, 8192});
  EXPECT_DOUBLE_EQ(among, rates.leave_one_out_error());
  EXPECT_NEAR(rates.error({1024, 4096, 4096}), std::hypot(among, 0.09), 1e-12);
  EXPECT_GT(rates.error({512, 4096, 4096}), rates.error({1024, 4096, 4096}));
}

// 1794 layers: 26 sets (GPU and format) with 69 shapes each. The documentation quotes these errors.
TEST(GemmRates, MeasuredLayersHaveErrorsBelowTenPercent) {
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
}  // namespace mansard::analysis
