// SPDX-License-Identifier: Apache-2.0
// FP16 and FP32 in addition to BF16: FP16's conversions, and the reference for all three.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/nvfp4/typed_inputs.h"

namespace mansard::kernels::nvfp4 {
namespace {

TEST(HalfConversion, DecodesEveryCode) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const int exponent = static_cast<int>(code >> 10 & 31);
    const int fraction = static_cast<int>(code & 1023);
    const float value = half::to_float({static_cast<std::uint16_t>(code)});
    if (exponent == 31 && fraction != 0) {
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    double expected =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) expected = std::numeric_limits<double>::infinity();
    EXPECT_EQ(value, static_cast<float>(code < 0x8000 ? expected : -expected));
    EXPECT_EQ(std::signbit(value), code >= 0x8000);
    EXPECT_EQ(half::from_float(value).bits, code);
  }
}

TEST(HalfConversion, RoundsToNearestEven) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::uint32_t code = 0; code < half::kInfinity; ++code) {
    const auto next = static_cast<std::uint16_t>(code + 1);
    const float low = half::to_float({static_cast<std::uint16_t>(code)});
    const float high = next == half::kInfinity ? 65536.0f : half::to_float({next});
    const float middle = (low + high) / 2;
    EXPECT_EQ(half::from_float(middle).bits, code + code % 2);
    EXPECT_EQ(half::from_float(std::nextafter(middle, 0.0f)).bits, code);
    EXPECT_EQ(half::from_float(-std::nextafter(middle, kInfinity)).bits, 0x8000 | next);
  }
  EXPECT_EQ(half::from_float(std::nanf("")).bits, half::kNan);
}

// All results computed from x.
struct Results {
  Results(Input x, Shape shape, const Hadamard& hadamard, const reference::Options& options) {
    const auto matrix = [&](Shape s) {
      bytes.emplace_back(static_cast<std::size_t>(code_bytes(s)));
      bytes.emplace_back(static_cast<std::size_t>(scale_bytes(s, options.layout)));
      return Matrix{bytes[bytes.size() - 2].data(), bytes.back().data()};
    };
    const Shape t = shape.transposed();
    amax = reference::amax(x, shape);
    amax_rht = reference::amax_rht_transposed(x, shape, hadamard);
    reference::quantize_1x16(x, shape, amax, matrix(shape), options);
    reference::quantize_transposed(x, shape, amax, Transform::none, matrix(t), options);
    reference::quantize_transposed(x, shape, amax_rht, hadamard, matrix(t), options);
    const Matrix out = matrix(shape);
    reference::quantize_16x16(x, shape, amax, out, matrix(t), options);
    transformed.resize(static_cast<std::size_t>(shape.elements()));
    reference::rht_transposed(x, shape, transformed.data(), hadamard);
  }
  friend bool operator==(const Results& a, const Results& b) = default;

  float amax = 0, amax_rht = 0;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<Bf16> transformed;
};

template <typename T>
std::vector<float> widened(const std::vector<T>& x) {
  std::vector<float> values;
  for (const T v : x) {
    if constexpr (std::is_same_v<T, Half>) values.push_back(half::to_float(v));
    if constexpr (std::is_same_v<T, Bf16>) values.push_back(bf16::to_float(v));
  }
  return values;
}

// FP32 represents every FP16 and BF16 number: results depend on values only, not on the storage
// format.
template <typename T>
void expect_same_as_fp32() {
  const RandomState state = {4, 5};
  for (const Shape shape : {Shape{1, 1}, Shape{15, 17}, Shape{129, 127}, Shape{160, 48}}) {
    for (const int size : {16, 4, 128}) {
      const Hadamard h = size == 16 ? Hadamard() : Hadamard::random(size, 2);
      const std::vector<T> x = random_matrix<T>(shape, 21);
      const std::vector<float> wide = widened(x);
      for (const bool stochastic : {false, true}) {
        for (const ScaleLayout layout : {ScaleLayout::linear, ScaleLayout::tiled}) {
          const reference::Options options = {stochastic ? &state : nullptr, layout};
          EXPECT_EQ(Results(x.data(), shape, h, options), Results(wide.data(), shape, h, options))
              << shape.rows << "x" << shape.cols << ", transform of " << size;
        }
      }
    }
  }
}

TEST(QuantizeFp16, EqualsQuantizationOfTheValuesInFp32) { expect_same_as_fp32<Half>(); }
TEST(QuantizeBf16, EqualsQuantizationOfTheValuesInFp32) { expect_same_as_fp32<Bf16>(); }

// All three steps of the scales at FP32's limits: nothing becomes NaN, the largest is code 6 at
// 448.
TEST(QuantizeFp32, HandlesTheLargestAndSmallestNumbers) {
  const Shape shape = {16, 32};
  const auto scales_and_codes = [&](float magnitude) {
    std::vector<float> x(static_cast<std::size_t>(shape.elements()), magnitude);
    x[1] = -magnitude;
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(code_bytes(shape)));
    std::vector<std::uint8_t> scales(static_cast<std::size_t>(scale_bytes(shape)));
    const float amax = reference::amax(x.data(), shape);
    EXPECT_EQ(amax, magnitude);
    reference::quantize_1x16(x.data(), shape, amax, {codes.data(), scales.data()});
    return std::pair(scales[0], codes[0]);
  };
  constexpr auto kLimits = std::numeric_limits<float>();
  EXPECT_EQ(scales_and_codes(kLimits.max()), std::pair(std::uint8_t{0x7e}, std::uint8_t{0xf7}));
  EXPECT_EQ(scales_and_codes(1e-35f), std::pair(std::uint8_t{0x7e}, std::uint8_t{0xf7}));
  // The tensor scale saturates at FLT_MAX, so that the block scale is 0; codes keep their sign.
  EXPECT_EQ(scales_and_codes(kLimits.denorm_min()), std::pair(std::uint8_t{0}, std::uint8_t{0x80}));
}

// FP32 input is not rounded to BF16 first: rows and the transform use all of its bits.
TEST(QuantizeFp32, UsesBitsBeyondBf16) {
  const Shape shape = {16, 16};
  std::vector<float> x(256, 4.0f);
  x[0] = 6.0f;
  x[1] = std::nextafter(1.25f, 2.0f);  // above the tie of codes 1.0 and 1.5; in BF16 it is the tie
  std::vector<std::uint8_t> codes(128), scales(16);
  const float amax = reference::amax(x.data(), shape);
  reference::quantize_1x16(x.data(), shape, amax, {codes.data(), scales.data()});
  EXPECT_EQ(kE2m1Values[codes[0] >> 4], 1.5f);
  float run[16] = {1.0f, -1.0f + 0x1p-20f};
  Hadamard h;
  std::fill(std::begin(h.negative), std::end(h.negative), 0u);
  reference::transform(run, h);
  EXPECT_EQ(run[0], 0x1p-22f);
}

template <typename T>
void expect_nan_everywhere() {
  const Shape shape = {32, 48};
  for (const TypedInput<T>& input : typed_inputs<T>(shape)) {
    const float amax = reference::amax(input.x.data(), shape);
    const bool nan = input.name == "one_nan" || input.name == "negative_nan";
    EXPECT_EQ(std::isnan(amax), nan || input.name == "all_bits") << input.name;
    if (!nan) continue;
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(code_bytes(shape)));
    std::vector<std::uint8_t> scales(static_cast<std::size_t>(scale_bytes(shape)));
    reference::quantize_1x16(input.x.data(), shape, amax, {codes.data(), scales.data()});
    EXPECT_EQ(scales, std::vector<std::uint8_t>(scales.size(), fp8::kNanCode)) << input.name;
  }
}

TEST(QuantizeFp16, NanPropagatesToEveryScale) { expect_nan_everywhere<Half>(); }
TEST(QuantizeFp32, NanPropagatesToEveryScale) { expect_nan_everywhere<float>(); }

TEST(Traffic, CountsBytesOfTheInputType) {
  const Shape s = {1024, 1024};
  EXPECT_EQ(traffic::quantize(s, 4) - traffic::quantize(s), 2 * s.elements());
  EXPECT_EQ(traffic::quantize_both(s, 4) - traffic::quantize_both(s), 2 * s.elements());
  EXPECT_EQ(traffic::quantize_both(s, element_bytes(ElementType::fp16)), traffic::quantize_both(s));
  EXPECT_EQ(traffic::amax_rht(s, 4), 4 * s.elements() + 8);
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
