// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/numerics/measured_layer.h"
#include "tests/kernels/recipes/multiplying_backend.h"

namespace mansard::kernels {
namespace {

class MeasuredRecipe : public testing::TestWithParam<Recipe> {};

TEST_P(MeasuredRecipe, MatchesFp64) {
  const auto backend = make_cpu_backend();
  expect_measurements_of_fp64(GetParam(), *backend);
}

// Codes of a GEMM that reads them have scales in tiles.
TEST_P(MeasuredRecipe, MatchesFp64WhereGemmsReadCodes) {
  MultiplyingBackend backend({Scaling::tensor, Scaling::block_1x128, Scaling::block_128x128,
                              Scaling::mx_1x32, Scaling::nv_1x16});
  expect_measurements_of_fp64(GetParam(), backend);
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredRecipe, testing::ValuesIn(kRecipes),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST(MeasuredNvfp4, WithoutItsParts) {
  const auto backend = make_cpu_backend();
  expect_measurements_of_fp64(Recipe::nvfp4, *backend, {false, false, false});
}

// The transform keeps the sum of squares, and changes only wgrad's operands.
TEST(MeasuredNvfp4, SourceIsThatAfterTheTransform) {
  const auto backend = make_cpu_backend();
  MeasuredLayer with(Recipe::nvfp4, *backend);
  MeasuredLayer without(Recipe::nvfp4, *backend, {false, true, true});
  for (const Pass pass : kPasses) {
    with.run(pass);
    without.run(pass);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(with.numerics()[i].rms, without.numerics()[i].rms,
                1e-3 * without.numerics()[i].rms);
    if (i < 2) {
      EXPECT_EQ(with.numerics()[i], without.numerics()[i]);
    }
    if (i >= 4) {
      EXPECT_NE(with.numerics()[i].amax, without.numerics()[i].amax);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
