// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/cpu_gemm.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"

namespace mansard::kernels {
namespace {

struct Sizes {
  std::int64_t m, n, k;
};

double element(const std::vector<Bf16>& data, ReductionAxis axis, std::int64_t rows, std::int64_t k,
               std::int64_t row, std::int64_t at) {
  const std::int64_t index = axis == ReductionAxis::inner ? row * k + at : at * rows + row;
  return bf16::to_float(data[static_cast<std::size_t>(index)]);
}

std::vector<float> random_floats(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(random_float(DataPattern::random_normal, 3, static_cast<std::uint64_t>(i)));
  }
  return values;
}

// Sizes below, at and above the tiles and panels, none of them a multiple of these.
class CpuGemm : public testing::TestWithParam<Sizes> {};

TEST_P(CpuGemm, MatchesFp64InEveryLayout) {
  const auto [m, n, k] = GetParam();
  std::vector<Bf16> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k));
  fill_random(a.data(), m * k, DataPattern::random_normal, 1);
  fill_random(b.data(), n * k, DataPattern::random_uniform, 2);
  const float alpha = 0.37f;
  for (const auto axis_a : {ReductionAxis::inner, ReductionAxis::outer}) {
    for (const auto axis_b : {ReductionAxis::inner, ReductionAxis::outer}) {
      std::vector<float> c(static_cast<std::size_t>(m * n), std::nanf(""));
      std::vector<Bf16> rounded(static_cast<std::size_t>(m * n));
      GemmProblem p = {
          m, n, k, {a.data(), axis_a}, {b.data(), axis_b}, c.data(), GemmOutput::fp32, &alpha};
      cpu_gemm(p);
      std::vector<float> sum = random_floats(m * n);
      p.c = sum.data();
      p.accumulate = true;
      cpu_gemm(p);
      std::vector<Bf16> rounded_sum(static_cast<std::size_t>(m * n));
      fill_random(rounded_sum.data(), m * n, DataPattern::random_normal, 3);
      p.c = rounded_sum.data();
      p.output = GemmOutput::bf16;
      cpu_gemm(p);
      p.c = rounded.data();
      p.accumulate = false;
      cpu_gemm(p);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double exact = 0, magnitude = 0;
          for (std::int64_t d = 0; d < k; ++d) {
            const double product = element(a, axis_a, m, k, i, d) * element(b, axis_b, n, k, j, d);
            exact += product;
            magnitude += std::fabs(product);
          }
          const auto at = static_cast<std::size_t>(i * n + j);
          ASSERT_NEAR(c[at], alpha * exact, 1e-6 * magnitude) << i << ", " << j;
          ASSERT_EQ(rounded[at], bf16::from_float(c[at]));
          const float before = random_float(DataPattern::random_normal, 3, at);
          ASSERT_NEAR(sum[at], before + c[at], 0x1p-23 * (std::fabs(before) + std::fabs(c[at])));
          const float rounded_before = bf16::to_float(bf16::from_float(before));
          ASSERT_NEAR(bf16::to_float(rounded_sum[at]), rounded_before + c[at],
                      0x1p-8 * (std::fabs(rounded_before) + std::fabs(c[at])));
        }
      }
    }
  }
}

TEST(GemmProblems, CountTheResultTwiceWhenAccumulating) {
  GemmProblem p;
  p.m = 16, p.n = 32, p.k = 48;
  p.output = GemmOutput::fp32;
  const double written_only = 2 * (16 * 48 + 32 * 48) + 4 * 16 * 32;
  EXPECT_EQ(p.compulsory_bytes(), written_only);
  p.accumulate = true;
  EXPECT_EQ(p.compulsory_bytes(), written_only + 4 * 16 * 32);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CpuGemm,
                         testing::Values(Sizes{1, 1, 1}, Sizes{7, 33, 5}, Sizes{16, 48, 272},
                                         Sizes{257, 31, 64}, Sizes{65, 300, 300}));

}  // namespace
}  // namespace mansard::kernels
