// SPDX-License-Identifier: Apache-2.0
// Properties of the FP8 reference: cases computed by hand, and properties for any input.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/reference.h"
#include "tests/kernels/fp8/fp8_inputs.h"

namespace mansard::kernels::fp8 {
namespace {

constexpr float kFloatMax = std::numeric_limits<float>::max();

std::vector<Bf16> bf16s(std::initializer_list<float> values) {
  std::vector<Bf16> x;
  for (const float v : values) x.push_back(bf16::from_float(v));
  return x;
}

std::vector<Bf16> turned_over(const std::vector<Bf16>& x, Shape s) {
  std::vector<Bf16> out(x.size());
  for (std::int64_t r = 0; r < s.rows; ++r) {
    for (std::int64_t c = 0; c < s.cols; ++c) {
      out[static_cast<std::size_t>(c * s.rows + r)] = x[static_cast<std::size_t>(r * s.cols + c)];
    }
  }
  return out;
}

TEST(Fp8Scale, OfATensor) {
  EXPECT_EQ(reference::tensor_scale(Format::e4m3, 3.5f).scale, 128.0f);
  EXPECT_EQ(reference::tensor_scale(Format::e4m3, 3.5f).inverse, 1.0f / 128.0f);
  EXPECT_EQ(reference::tensor_scale(Format::e5m2, 3.0f).scale, 57344.0f / 3.0f);
  EXPECT_EQ(reference::tensor_scale(Format::e4m3, 0.0f).scale, 1.0f);
  EXPECT_EQ(reference::tensor_scale(Format::e4m3, INFINITY).scale, 1.0f);
  EXPECT_EQ(reference::tensor_scale(Format::e4m3, 0x1p-130f).scale, kFloatMax);
  const TensorScale nan = reference::tensor_scale(Format::e4m3, -std::nanf(""));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(nan.scale), 0x7fffffffu);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(nan.inverse), 0x7fffffffu);
}

TEST(Fp8Scale, OfABlockIsCutToAPowerOfTwo) {
  const auto power = [](float amax) {
    return reference::block_scale(Format::e4m3, ScaleRounding::power_of_two, amax);
  };
  EXPECT_EQ(power(3.0f).scale, 128.0f);  // of 149.33
  EXPECT_EQ(power(3.0f).inverse, 1.0f / 128.0f);
  EXPECT_EQ(power(3.5f).scale, 128.0f);
  EXPECT_EQ(power(3.6f).scale, 64.0f);
  EXPECT_EQ(power(0x1p-130f).scale, 0x1p127f);
  EXPECT_EQ(power(0x1p-130f).inverse, 0x1p-127f);
  EXPECT_TRUE(std::isnan(power(std::nanf("")).scale));
  EXPECT_EQ(reference::block_scale(Format::e4m3, ScaleRounding::none, 3.0f).scale, 448.0f / 3.0f);
}

TEST(Fp8Scale, OfMxfp8) {
  EXPECT_EQ(reference::mx_scale(Format::e4m3, 448.0f), 127);
  EXPECT_EQ(reference::mx_scale(Format::e4m3, 450.0f), 128);
  EXPECT_EQ(reference::mx_scale(Format::e4m3, 1.0f), 127 - 8);  // 1/448 is above 2^-9
  EXPECT_EQ(reference::mx_scale(Format::e5m2, 1.0f), 127 - 15);
  EXPECT_EQ(reference::mx_scale(Format::e4m3, 0.0f), 0);
  EXPECT_EQ(reference::mx_scale(Format::e4m3, INFINITY), 0xfe);
  EXPECT_EQ(reference::mx_scale(Format::e4m3, std::nanf("")), 0xff);
}

TEST(Fp8DelayedScale, ShiftsItsHistoryAndDropsTheOldest) {
  std::vector<float> history(3, 0.0f);
  TensorScale scale = {};
  const auto push = [&](AmaxChoice choice, float amax) {
    reference::update_delayed_scale(Format::e4m3, choice, &amax, history.data(), 3, &scale);
    EXPECT_EQ(amax, 0.0f);
    return scale.scale;
  };
  EXPECT_EQ(push(AmaxChoice::largest, 0.0f), 1.0f);
  EXPECT_EQ(push(AmaxChoice::largest, 7.0f), 64.0f);
  EXPECT_EQ(push(AmaxChoice::newest, 3.5f), 128.0f);
  EXPECT_EQ(push(AmaxChoice::largest, 1.75f), 64.0f);  // 7 is the oldest of three
  EXPECT_EQ(history, (std::vector<float>{1.75f, 3.5f, 7.0f}));
  EXPECT_EQ(push(AmaxChoice::largest, 1.75f), 128.0f);
  EXPECT_TRUE(std::isnan(push(AmaxChoice::largest, std::nanf(""))));
  EXPECT_TRUE(std::isnan(push(AmaxChoice::largest, 1.0f)));
  EXPECT_FALSE(std::isnan(push(AmaxChoice::newest, 1.0f)));
  EXPECT_THROW(reference::update_delayed_scale(Format::e4m3, AmaxChoice::newest, history.data(),
                                               history.data(), 0, &scale),
               std::invalid_argument);
}

TEST(Fp8Cast, MatchesValuesComputedByHand) {
  // 2^-7 * 2 is the smallest normal; 1.0625 is a tie to the even code below, 1.1875 to the one
  // above.
  const std::vector<Bf16> x =
      bf16s({0.0f, -0.0f, 0.5f, 0x1p-7f, 0.53125f, 0.59375f, 300.0f, -1e9f});
  std::vector<std::uint8_t> out(8), out_t(8);
  float amax = 5.0f;
  reference::cast_transpose(Format::e4m3, x.data(), {2, 4}, 2.0f, out.data(), out_t.data(), &amax);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0x00, 0x80, 0x38, 0x08, 0x38, 0x3a, 0x7e, 0xfe}));
  EXPECT_EQ(out_t, (std::vector<std::uint8_t>{0x00, 0x38, 0x80, 0x3a, 0x38, 0x7e, 0x08, 0xfe}));
  EXPECT_EQ(amax, bf16::to_float(bf16::from_float(1e9f)));
  amax = INFINITY;
  reference::cast(Format::e4m3, x.data(), {2, 4}, 2.0f, out.data(), &amax);
  EXPECT_EQ(amax, INFINITY);
}

TEST(Fp8Cast, TransposeHasTheSameCodesForAnyShapeAndInput) {
  for (const Shape shape : ragged_shapes()) {
    for (const SpecialInput& input : fp8_inputs(shape)) {
      const float amax = reference::amax(input.x.data(), shape);
      const float scale = reference::tensor_scale(Format::e5m2, amax).scale;
      std::vector<std::uint8_t> out(input.x.size()), out_t(out);
      reference::cast_transpose(Format::e5m2, input.x.data(), shape, scale, out.data(),
                                out_t.data(), nullptr);
      bool same = true;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto r = static_cast<std::int64_t>(i) / shape.cols;
        const auto c = static_cast<std::int64_t>(i) % shape.cols;
        same = same && out[i] == out_t[static_cast<std::size_t>(c * shape.rows + r)];
      }
      EXPECT_TRUE(same) << text(shape) << " " << input.name;
    }
  }
}

// In each block the largest element uses the format's top binade, which is the purpose of scaling.
TEST(Fp8Blocks, LargestElementOfEachBlockIsInTheTopBinade) {
  const Shape shape = {272, 208};
  const std::vector<Bf16> x = mixed_input(shape, 3);
  Results r = Results::of_1x128(shape);
  reference::quantize_1x128(Format::e4m3, ScaleRounding::power_of_two, x.data(), shape, r.blocks(),
                            r.blocks_t());
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t first = 0; first < shape.cols; first += kBlock) {
      int largest = 0;
      for (std::int64_t c = first; c < std::min(shape.cols, first + kBlock); ++c) {
        largest = std::max(largest, r.codes[static_cast<std::size_t>(row * shape.cols + c)] & 0x7f);
      }
      EXPECT_GE(largest, encode(Format::e4m3, 224.0f));
      EXPECT_LE(largest, 0x7e);
    }
  }
}

TEST(Fp8Blocks, TransposedResultEqualsQuantizationOfTheTranspose) {
  for (const Shape shape : ragged_shapes()) {
    const Shape turned = shape.transposed();
    for (const SpecialInput& input : fp8_inputs(shape)) {
      SCOPED_TRACE(text(shape) + " " + input.name);
      const std::vector<Bf16> xt = turned_over(input.x, shape);
      const auto expect_turned = [](const Results& a, const Results& b) {
        EXPECT_EQ(a.codes, b.codes_t);
        EXPECT_EQ(a.scales, b.scales_t);
        EXPECT_EQ(a.codes_t, b.codes);
        EXPECT_EQ(a.scales_t, b.scales);
      };
      {
        Results a = Results::of_1x128(shape), b = Results::of_1x128(turned);
        reference::quantize_1x128(Format::e4m3, ScaleRounding::none, input.x.data(), shape,
                                  a.blocks(), a.blocks_t());
        reference::quantize_1x128(Format::e4m3, ScaleRounding::none, xt.data(), turned, b.blocks(),
                                  b.blocks_t());
        expect_turned(a, b);
      }
      {
        Results a = Results::of_128x128(shape), b = Results::of_128x128(turned);
        reference::quantize_128x128(Format::e5m2, ScaleRounding::power_of_two, input.x.data(),
                                    shape, a.blocks(), a.blocks_t());
        reference::quantize_128x128(Format::e5m2, ScaleRounding::power_of_two, xt.data(), turned,
                                    b.blocks(), b.blocks_t());
        expect_turned(a, b);
      }
      for (const ScaleLayout layout : {ScaleLayout::linear, ScaleLayout::tiled}) {
        Results a = Results::of_mxfp8(layout, shape), b = Results::of_mxfp8(layout, turned);
        reference::quantize_mxfp8(Format::e4m3, layout, input.x.data(), shape, a.mx(), a.mx_t());
        reference::quantize_mxfp8(Format::e4m3, layout, xt.data(), turned, b.mx(), b.mx_t());
        expect_turned(a, b);
      }
    }
  }
}

TEST(Fp8Blocks, RaggedMatrixEqualsZeroPaddedMatrix) {
  const Shape shape = {129, 145};
  const Shape padded = {256, 256};
  const std::vector<Bf16> x = mixed_input(shape, 9);
  std::vector<Bf16> wide(static_cast<std::size_t>(padded.elements()), Bf16{0});
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    wide[static_cast<std::size_t>(i / shape.cols * padded.cols + i % shape.cols)] =
        x[static_cast<std::size_t>(i)];
  }
  const auto expect_cut = [&](const Results& cut, const Results& whole) {
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const std::int64_t at = i / shape.cols * padded.cols + i % shape.cols;
      ASSERT_EQ(cut.codes[static_cast<std::size_t>(i)], whole.codes[static_cast<std::size_t>(at)]);
    }
  };
  Results a = Results::of_1x128(shape), b = Results::of_1x128(padded);
  reference::quantize_1x128(Format::e4m3, ScaleRounding::none, x.data(), shape, a.blocks(),
                            a.blocks_t());
  reference::quantize_1x128(Format::e4m3, ScaleRounding::none, wide.data(), padded, b.blocks(),
                            b.blocks_t());
  expect_cut(a, b);
  for (std::size_t row = 0; row < 132; ++row) {
    for (std::size_t block = 0; block < 2; ++block) {
      EXPECT_EQ(a.scale(block * 132 + row), row < 129 ? b.scale(block * 256 + row) : 0.0f);
    }
  }
  Results c = Results::of_128x128(shape), d = Results::of_128x128(padded);
  reference::quantize_128x128(Format::e4m3, ScaleRounding::none, x.data(), shape, c.blocks(),
                              c.blocks_t());
  reference::quantize_128x128(Format::e4m3, ScaleRounding::none, wide.data(), padded, d.blocks(),
                              d.blocks_t());
  expect_cut(c, d);
  EXPECT_EQ(c.scales, d.scales);
  EXPECT_EQ(c.scale(2), 0.0f);  // padding

  const ScaleLayout layout = ScaleLayout::tiled;
  Results e = Results::of_mxfp8(layout, shape), f = Results::of_mxfp8(layout, padded);
  reference::quantize_mxfp8(Format::e4m3, layout, x.data(), shape, e.mx(), e.mx_t());
  reference::quantize_mxfp8(Format::e4m3, layout, wide.data(), padded, f.mx(), f.mx_t());
  expect_cut(e, f);
  EXPECT_EQ(e.scales, f.scales);
}

TEST(Fp8Blocks, NanAndInfinityAffectOnlyTheirBlock) {
  const Shape shape = {40, 300};
  std::vector<Bf16> x = mixed_input(shape, 2);
  x[3 * 300 + 130] = {0xffc1};
  x[5 * 300 + 10] = {kBf16Infinity};
  Results r = Results::of_1x128(shape);
  reference::quantize_1x128(Format::e4m3, ScaleRounding::power_of_two, x.data(), shape, r.blocks(),
                            r.blocks_t());
  for (std::size_t c = 0; c < 300; ++c) {
    EXPECT_EQ(r.codes[3 * 300 + c] == kNanCode, c / 128 == 1) << c;
  }
  EXPECT_TRUE(std::isnan(r.scale(1 * 40 + 3)));
  EXPECT_EQ(r.scale(0 * 40 + 5), 1.0f);
  EXPECT_EQ(r.codes[5 * 300 + 10], 0x7e);
  for (std::size_t row = 0; row < 40; ++row) {
    EXPECT_EQ(r.codes_t[130 * 40 + row], kNanCode);
    EXPECT_NE(r.codes_t[131 * 40 + row], kNanCode);
  }
  Results m = Results::of_mxfp8(ScaleLayout::linear, shape);
  reference::quantize_mxfp8(Format::e4m3, ScaleLayout::linear, x.data(), shape, m.mx(), m.mx_t());
  EXPECT_EQ(m.scales[3 * 10 + 4], kE8m0Nan);
  EXPECT_EQ(m.scales[5 * 10 + 0], 0xfe);
  EXPECT_EQ(m.codes[5 * 300 + 10], 0x7e);
  EXPECT_EQ(m.codes[3 * 300 + 159], kNanCode);
  EXPECT_NE(m.codes[3 * 300 + 160], kNanCode);
}

// Every scheme with power-of-two scales: half an ulp of the element, or half a step of the smallest
// codes at the block's scale.
TEST(Fp8Dequantize, RestoresTheInputWithinTheFormatsError) {
  const Shape shape = {272, 208};
  std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
  fill_random(x.data(), shape.elements(), DataPattern::random_normal, 3);
  std::vector<Bf16> y(x.size());
  const auto expect_near = [&](const char* what, const std::vector<Bf16>& input) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      const float v = bf16::to_float(input[i]);
      ASSERT_NEAR(bf16::to_float(y[i]), v, std::fabs(v) / 16 + 5.0f * 0x1p-16f) << what << " " << i;
    }
  };
  const std::vector<Bf16> xt = turned_over(x, shape);
  Results a = Results::of_1x128(shape);
  reference::quantize_1x128(Format::e4m3, ScaleRounding::power_of_two, x.data(), shape, a.blocks(),
                            a.blocks_t());
  reference::dequantize_1x128(Format::e4m3, a.blocks(), shape, y.data());
  expect_near("1x128", x);
  reference::dequantize_1x128(Format::e4m3, a.blocks_t(), shape.transposed(), y.data());
  expect_near("1x128 of the transpose", xt);
  Results b = Results::of_128x128(shape);
  reference::quantize_128x128(Format::e4m3, ScaleRounding::power_of_two, x.data(), shape,
                              b.blocks(), b.blocks_t());
  reference::dequantize_128x128(Format::e4m3, b.blocks(), shape, y.data());
  expect_near("128x128", x);
  reference::dequantize_128x128(Format::e4m3, b.blocks_t(), shape.transposed(), y.data());
  expect_near("128x128 of the transpose", xt);
  for (const ScaleLayout layout : {ScaleLayout::linear, ScaleLayout::tiled}) {
    Results m = Results::of_mxfp8(layout, shape);
    reference::quantize_mxfp8(Format::e4m3, layout, x.data(), shape, m.mx(), m.mx_t());
    reference::dequantize_mxfp8(Format::e4m3, layout, m.mx(), shape, y.data());
    expect_near("MXFP8", x);
    reference::dequantize_mxfp8(Format::e4m3, layout, m.mx_t(), shape.transposed(), y.data());
    expect_near("MXFP8 of the transpose", xt);
  }
}

TEST(Fp8Dequantize, ValuesOfCodesAreExactInBf16) {
  std::vector<std::uint8_t> codes(256);
  for (std::size_t i = 0; i < 256; ++i) codes[i] = static_cast<std::uint8_t>(i);
  std::vector<Bf16> out(256);
  for (const Format format : {Format::e4m3, Format::e5m2}) {
    reference::decode(format, codes.data(), {2, 128}, out.data());
    for (std::size_t i = 0; i < 256; ++i) {
      const float value = decode(format, codes[i]);
      if (std::isnan(value)) {
        EXPECT_EQ(out[i].bits, bf16::kNan);
      } else {
        EXPECT_EQ(bf16::to_float(out[i]), value);
      }
    }
  }
}

TEST(Fp8Layout, PadsScalesToWholeTilesOnlyInTheTiledLayout) {
  EXPECT_EQ(mx_scale_bytes(ScaleLayout::tiled, {129, 160}), 256 * 8);
  EXPECT_EQ(mx_scale_bytes(ScaleLayout::linear, {129, 160}), 129 * 5);
}

TEST(Fp8Layout, TrafficMatchesEachScheme) {
  const Shape s = {1024, 1024};
  const auto per_element = [&](std::int64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(s.elements());
  };
  EXPECT_NEAR(per_element(traffic::cast(s)), 3.0, 1e-4);
  EXPECT_NEAR(per_element(traffic::cast_transpose(s)), 4.0, 1e-4);
  EXPECT_DOUBLE_EQ(per_element(traffic::block_1x128(s)), 4.0625);
  EXPECT_DOUBLE_EQ(per_element(traffic::block_128x128(s)), 4.0 + 8.0 / 16384);
  EXPECT_DOUBLE_EQ(per_element(traffic::mxfp8(ScaleLayout::linear, s)), 4.0625);
  EXPECT_DOUBLE_EQ(per_element(traffic::mxfp8(ScaleLayout::tiled, s)), 4.0625);
}

TEST(Fp8Layout, RejectsEmptyAndTooWideShapesByName) {
  std::uint8_t out = 0;
  const Bf16 x = {0};
  for (const Shape shape : {Shape{0, 4}, Shape{4, 0}, Shape{1, 65535 * 256 + 1}}) {
    try {
      reference::cast(Format::e4m3, &x, shape, 1.0f, &out, nullptr);
      FAIL() << text(shape) << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(text(shape)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels::fp8
