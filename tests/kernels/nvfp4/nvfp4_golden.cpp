// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/nvfp4/reference.h"
#include "tests/kernels/nvfp4/golden_cases.h"

namespace mansard::kernels::nvfp4 {
namespace {

class Golden : public testing::TestWithParam<GoldenCase> {};

struct Result {
  std::vector<std::uint8_t> row_codes, row_scales, col_codes, col_scales;
  float row_amax = 0, col_amax = 0;
};

Result quantize(const GoldenCase& c) {
  Result r;
  r.row_codes.resize(code_bytes(c.shape));
  r.col_codes.resize(code_bytes(c.shape));
  r.row_scales.resize(scale_bytes(c.shape));
  r.col_scales.resize(scale_bytes(c.shape));
  const Bf16* x = c.input.data();
  const Matrix row = {r.row_codes.data(), r.row_scales.data()};
  const Matrix col = {r.col_codes.data(), r.col_scales.data()};
  r.row_amax = reference::amax(x, c.shape);
  r.col_amax = c.mode == "1d_rht" ? reference::amax_rht_transposed(x, c.shape) : r.row_amax;
  if (c.mode == "2d") {
    reference::quantize_16x16(x, c.shape, r.row_amax, row, col);
  } else {
    const Transform transform = c.mode == "1d_rht" ? Transform::rht : Transform::none;
    reference::quantize_1x16(x, c.shape, r.row_amax, row);
    reference::quantize_transposed(x, c.shape, r.col_amax, transform, col);
  }
  return r;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST_P(Golden, ReferenceIsBitwiseEqual) {
  const GoldenCase& c = GetParam();
  const Result r = quantize(c);
  EXPECT_TRUE(same_bits(r.row_amax, c.row_amax)) << r.row_amax << " against " << c.row_amax;
  EXPECT_TRUE(same_bits(r.col_amax, c.col_amax)) << r.col_amax << " against " << c.col_amax;
  EXPECT_EQ(r.row_scales, c.row_scales);
  EXPECT_EQ(r.row_codes, c.row_codes);
  EXPECT_EQ(r.col_scales, c.col_scales);
  EXPECT_EQ(r.col_codes, c.col_codes);
}

INSTANTIATE_TEST_SUITE_P(TransformerEngine, Golden, testing::ValuesIn(golden_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(GoldenFiles, HoldTwelveInputsInThreeModes) { EXPECT_EQ(golden_cases().size(), 36u); }

}  // namespace
}  // namespace mansard::kernels::nvfp4
