// SPDX-License-Identifier: Apache-2.0
// Properties of the reference for any input, in addition to the recorded cases.
#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/rht.h"
#include "tests/kernels/formats/special_inputs.h"

namespace mansard::kernels::nvfp4 {
namespace {

constexpr Shape kShape = {64, 96};

struct Quantized {
  explicit Quantized(Shape s)
      : codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s))) {}
  Matrix matrix() { return {codes.data(), scales.data()}; }
  std::vector<std::uint8_t> codes, scales;
};

std::vector<Bf16> input(const std::string& name) {
  for (SpecialInput& special : special_inputs(kShape)) {
    if (special.name == name) return special.x;
  }
  throw std::logic_error("no special input " + name);
}

Quantized quantize(const std::vector<Bf16>& x) {
  Quantized q(kShape);
  reference::quantize_1x16(x.data(), kShape, reference::amax(x.data(), kShape), q.matrix());
  return q;
}

std::vector<float> dequantize(Quantized& q, Shape shape, float tensor_scale) {
  std::vector<Bf16> out(static_cast<std::size_t>(shape.elements()));
  reference::dequantize(q.matrix(), shape, out.data());
  std::vector<float> values;
  for (const Bf16 b : out) values.push_back(bf16::to_float(b) / tensor_scale);
  return values;
}

TEST(Amax, IsTheLargestMagnitude) {
  std::vector<Bf16> x(static_cast<std::size_t>(kShape.elements()), Bf16{0x3f80});
  x[100] = {0xc0a0};  // -5
  EXPECT_EQ(reference::amax(x.data(), kShape), 5.0f);
  EXPECT_EQ(reference::amax(input("all_maximum").data(), kShape), bf16::to_float({kBf16Max}));
}

TEST(Quantize, ZerosStayZero) {
  for (const char* name : {"zeros", "negative_zeros"}) {
    const Quantized q = quantize(input(name));
    EXPECT_EQ(q.codes, std::vector<std::uint8_t>(q.codes.size(), 0)) << name;
    EXPECT_EQ(q.scales, std::vector<std::uint8_t>(q.scales.size(), 0)) << name;
  }
}

TEST(Quantize, ZeroBlockHasZeroScaleAndCodes) {
  const Quantized q = quantize(input("zero_blocks"));
  for (std::size_t block = 0; block < q.scales.size(); ++block) {
    EXPECT_EQ(q.scales[block] == 0, block % 3 == 0);
    EXPECT_EQ(q.codes[block * 8] == 0, block % 3 == 0);
  }
}

TEST(Quantize, TheLargestElementIsCode6AtTheLargestScale) {
  const std::vector<Bf16> x = input("one_maximum");
  const Quantized q = quantize(x);
  EXPECT_EQ(q.scales[0], 0x7e);
  EXPECT_EQ(q.codes[2] >> 4, 7);  // element 5
}

TEST(Quantize, NanPropagatesToEveryScale) {
  for (const char* name : {"one_nan", "negative_nan"}) {
    const Quantized q = quantize(input(name));
    EXPECT_EQ(q.scales, std::vector<std::uint8_t>(q.scales.size(), fp8::kNanCode)) << name;
  }
}

// Half of the widest gap between codes (4 to 6) at block scale, plus the rounding of the block
// scale.
TEST(Quantize, ErrorIsWithinTheFormat) {
  std::vector<Bf16> x(static_cast<std::size_t>(kShape.elements()));
  fill_random(x.data(), kShape.elements(), DataPattern::random_normal, 3);
  Quantized q = quantize(x);
  const float scale = reference::tensor_encode_scale(reference::amax(x.data(), kShape));
  const std::vector<float> y = dequantize(q, kShape, scale);
  for (std::size_t block = 0; block < x.size() / 16; ++block) {
    float largest = 0;
    for (std::size_t i = 16 * block; i < 16 * block + 16; ++i) {
      largest = std::max(largest, std::fabs(bf16::to_float(x[i])));
    }
    for (std::size_t i = 16 * block; i < 16 * block + 16; ++i) {
      EXPECT_NEAR(y[i], bf16::to_float(x[i]), largest * (1.0f / 6 + 1.0f / 16));
    }
  }
}

TEST(Quantize16x16, CommutesWithTransposition) {
  for (const SpecialInput& special : special_inputs(kShape)) {
    Quantized q(kShape), qt(kShape);
    const float amax = reference::amax(special.x.data(), kShape);
    reference::quantize_16x16(special.x.data(), kShape, amax, q.matrix(), qt.matrix());
    const std::vector<float> y = dequantize(q, kShape, 1.0f);
    const std::vector<float> yt = dequantize(qt, {kShape.cols, kShape.rows}, 1.0f);
    for (std::int64_t r = 0; r < kShape.rows; ++r) {
      for (std::int64_t c = 0; c < kShape.cols; ++c) {
        const float a = y[static_cast<std::size_t>(r * kShape.cols + c)];
        const float b = yt[static_cast<std::size_t>(c * kShape.rows + r)];
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << special.name;
      }
    }
  }
}

TEST(QuantizeTransposed, EqualsRowWiseQuantizationOfTheTranspose) {
  for (const SpecialInput& special : special_inputs(kShape)) {
    const Shape transposed = {kShape.cols, kShape.rows};
    std::vector<Bf16> xt(special.x.size());
    std::vector<Bf16> rht(special.x.size());
    for (std::int64_t r = 0; r < kShape.rows; ++r) {
      for (std::int64_t c = 0; c < kShape.cols; ++c) {
        xt[static_cast<std::size_t>(c * kShape.rows + r)] =
            special.x[static_cast<std::size_t>(r * kShape.cols + c)];
      }
    }
    reference::rht_transposed(special.x.data(), kShape, rht.data());
    for (const Transform transform : {Transform::none, Transform::rht}) {
      const std::vector<Bf16>& source = transform == Transform::rht ? rht : xt;
      const float amax = reference::amax(source.data(), transposed);
      Quantized direct(kShape), expected(kShape);
      reference::quantize_transposed(special.x.data(), kShape, amax, transform, direct.matrix());
      reference::quantize_1x16(source.data(), transposed, amax, expected.matrix());
      EXPECT_EQ(direct.codes, expected.codes) << special.name;
      EXPECT_EQ(direct.scales, expected.scales) << special.name;
    }
  }
}

// Entry (i, j) of the Hadamard matrix in Sylvester's order is (-1)^popcount(i & j).
TEST(Rht, IsTheSignedHadamardMatrixOverFour) {
  for (int i = 0; i < 16; ++i) {
    float values[16] = {};
    values[i] = 1.0f;
    reference::transform(values, Transform::rht);
    const float sign = (kRhtNegative >> i & 1u) != 0 ? -1.0f : 1.0f;
    for (int j = 0; j < 16; ++j) {
      EXPECT_EQ(values[j],
                sign * (std::popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 0.25f : -0.25f));
    }
  }
}

TEST(Rht, FiniteInputsNeverGiveNan) {
  float values[16];
  for (float& v : values) v = bf16::to_float({kBf16Max});
  reference::transform(values, Transform::rht);
  for (const float v : values) EXPECT_FALSE(std::isnan(v));
}

TEST(Shapes, EmptyShapesAreRejectedByName) {
  const std::vector<Bf16> x(16 * 24, Bf16{0});
  for (const Shape shape : {Shape{16, 0}, Shape{0, 17}, Shape{16, -16}}) {
    try {
      reference::amax(x.data(), shape);
      FAIL() << shape.rows << "x" << shape.cols << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(shape.cols)), std::string::npos);
    }
  }
}

// The rule of layout.h: the matrix is zero-padded to whole blocks.
TEST(Shapes, PartialBlocksArePaddedWithZeros) {
  for (const Shape shape : {Shape{1, 1}, Shape{17, 33}, Shape{15, 129}, Shape{31, 16}}) {
    const Shape padded = {round_up(shape.rows, 16), round_up(shape.cols, 16)};
    std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
    fill_random(x.data(), shape.elements(), DataPattern::random_normal, 3);
    std::vector<Bf16> whole(static_cast<std::size_t>(padded.elements()), Bf16{0});
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      whole[static_cast<std::size_t>(i / shape.cols * padded.cols + i % shape.cols)] =
          x[static_cast<std::size_t>(i)];
    }
    const float amax = reference::amax(x.data(), shape);
    EXPECT_EQ(amax, reference::amax(whole.data(), padded));
    EXPECT_EQ(reference::amax_rht_transposed(x.data(), shape),
              reference::amax_rht_transposed(whole.data(), padded));
    const auto is_start = [](const std::vector<std::uint8_t>& part,
                             const std::vector<std::uint8_t>& all) {
      return std::equal(part.begin(), part.end(), all.begin());
    };
    Quantized q(shape), q_whole(padded);
    reference::quantize_1x16(x.data(), shape, amax, q.matrix());
    reference::quantize_1x16(whole.data(), padded, amax, q_whole.matrix());
    EXPECT_TRUE(is_start(q.codes, q_whole.codes) && is_start(q.scales, q_whole.scales));
    Quantized t(shape.transposed()), t_whole(padded.transposed());
    reference::quantize_transposed(x.data(), shape, amax, Transform::rht, t.matrix());
    reference::quantize_transposed(whole.data(), padded, amax, Transform::rht, t_whole.matrix());
    EXPECT_TRUE(is_start(t.codes, t_whole.codes) && is_start(t.scales, t_whole.scales));
    reference::quantize_16x16(x.data(), shape, amax, q.matrix(), t.matrix());
    reference::quantize_16x16(whole.data(), padded, amax, q_whole.matrix(), t_whole.matrix());
    EXPECT_TRUE(is_start(q.codes, q_whole.codes) && is_start(q.scales, q_whole.scales));
    EXPECT_TRUE(is_start(t.codes, t_whole.codes) && is_start(t.scales, t_whole.scales));
  }
}

TEST(ScaleLayouts, ContainTheSameScalesAndZeroPadding) {
  const Shape shape = {140, 100};
  std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
  fill_random(x.data(), shape.elements(), DataPattern::random_normal, 4);
  Quantized linear(shape);
  std::vector<std::uint8_t> codes(linear.codes.size());
  std::vector<std::uint8_t> tiled(static_cast<std::size_t>(scale_bytes(shape, ScaleLayout::tiled)),
                                  0xff);
  ASSERT_EQ(tiled.size(), 256u * 8u);
  const float amax = reference::amax(x.data(), shape);
  reference::quantize_1x16(x.data(), shape, amax, linear.matrix());
  reference::quantize_1x16(x.data(), shape, amax, {codes.data(), tiled.data()},
                           {.layout = ScaleLayout::tiled});
  EXPECT_EQ(codes, linear.codes);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t block = 0; block < 7; ++block) {
      auto& scale = tiled[static_cast<std::size_t>(scale_index(ScaleLayout::tiled, 7, row, block))];
      EXPECT_EQ(scale, linear.scales[static_cast<std::size_t>(row * 7 + block)]);
      scale = 0;
    }
  }
  EXPECT_EQ(tiled, std::vector<std::uint8_t>(tiled.size(), 0));  // the padding, and each place once
  // Row 0 of the second quarter of rows in the first tile: 16 bytes hold rows 0, 32, 64 and 96.
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 33, 6), 512 + 16 + 4 + 2);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 128, 0), 1024);
}

TEST(Traffic, PerElementMatchesTheFormat) {
  const Shape s = {1024, 1024};
  const auto per_element = [&](std::int64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(s.elements());
  };
  EXPECT_NEAR(per_element(traffic::amax(s)), 2.0, 1e-4);
  EXPECT_NEAR(per_element(traffic::quantize(s)), 2.5625, 1e-4);
  EXPECT_NEAR(per_element(traffic::quantize_both(s)), 3.125, 1e-4);
  EXPECT_NEAR(per_element(traffic::dequantize(s)), 2.5625, 1e-4);
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
