// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

constexpr float kFloatMax = std::numeric_limits<float>::max();

bool is_negative(const Hadamard& h, int i) { return (h.negative[i / 32] >> (i % 32) & 1u) != 0; }

// Entry (j, i) of the signed matrix, without its factor.
double entry(const Hadamard& h, int j, int i) {
  const bool odd = std::popcount(static_cast<unsigned>(i & j)) % 2 != 0;
  return odd != is_negative(h, i) ? -1.0 : 1.0;
}

std::vector<float> random_values(int count, std::uint64_t seed) {
  std::vector<float> x(static_cast<std::size_t>(count));
  fill_random(x.data(), count, DataPattern::random_normal, seed);
  return x;
}

double norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

class HadamardOfSize : public testing::TestWithParam<int> {
 protected:
  int size() const { return GetParam(); }
};

TEST_P(HadamardOfSize, IsTheSignedMatrixOverTheRootOfTheSize) {
  const Hadamard h = Hadamard::random(size(), 3);
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(size())));
  for (int i = 0; i < size(); ++i) {
    std::vector<float> x(static_cast<std::size_t>(size()));
    x[static_cast<std::size_t>(i)] = 1.0f;
    reference::transform(x.data(), h);
    for (int j = 0; j < size(); ++j) {
      const auto exact = static_cast<float>(entry(h, j, i)) * factor;
      EXPECT_EQ(x[static_cast<std::size_t>(j)], bf16::to_float(bf16::from_float(exact)));
    }
  }
}

// Compared with FP64: half an ulp of BF16, plus FP32 errors, which matter where terms cancel.
TEST_P(HadamardOfSize, EqualsMultiplicationByTheMatrix) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Hadamard h = Hadamard::random(size(), seed);
    const std::vector<float> x = random_values(size(), seed + 100);
    std::vector<float> y = x;
    reference::transform(y.data(), h);
    for (int j = 0; j < size(); ++j) {
      double sum = 0;
      for (int i = 0; i < size(); ++i) sum += entry(h, j, i) * x[static_cast<std::size_t>(i)];
      sum /= std::sqrt(static_cast<double>(size()));
      EXPECT_NEAR(y[static_cast<std::size_t>(j)], sum, std::fabs(sum) * 0x1p-8 + norm(x) * 0x1p-20);
    }
  }
}

TEST_P(HadamardOfSize, PreservesTheNormAndIsInvertedByItsTranspose) {
  const Hadamard h = Hadamard::random(size(), 5);
  const std::vector<float> x = random_values(size(), 6);
  std::vector<float> y = x;
  reference::transform(y.data(), h);
  EXPECT_NEAR(norm(y), norm(x), norm(x) * 0x1p-8);
  Hadamard unsigned_h = h;
  std::fill(std::begin(unsigned_h.negative), std::end(unsigned_h.negative), 0u);
  reference::transform(y.data(), unsigned_h);
  for (int i = 0; i < size(); ++i) {
    const float back =
        is_negative(h, i) ? -y[static_cast<std::size_t>(i)] : y[static_cast<std::size_t>(i)];
    EXPECT_NEAR(back, x[static_cast<std::size_t>(i)], norm(x) * 0x1p-7);
  }
}

// All terms of one result have the same sign: only the result exceeds FP32's range, no intermediate
// does.
TEST_P(HadamardOfSize, OverflowsOnlyIfTheResultDoes) {
  const Hadamard h = Hadamard::random(size(), 8);
  const int j = size() / 2 + 1;
  std::vector<float> x;
  for (int i = 0; i < size(); ++i) x.push_back(static_cast<float>(entry(h, j, i)) * kFloatMax);
  reference::transform(x.data(), h);
  for (int i = 0; i < size(); ++i) {
    EXPECT_EQ(x[static_cast<std::size_t>(i)], i == j ? std::numeric_limits<float>::infinity() : 0);
  }
}

TEST_P(HadamardOfSize, PadsWithZerosBeyondTheEdges) {
  const Hadamard h = Hadamard::random(size(), 9);
  const Shape shape = {size() + 3, 5};
  const Shape padded = {round_up(shape.rows, std::max(16, size())), 16};
  std::vector<float> x = random_values(static_cast<int>(shape.elements()), 10);
  std::vector<float> whole(static_cast<std::size_t>(padded.elements()));
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    whole[static_cast<std::size_t>(i / shape.cols * padded.cols + i % shape.cols)] =
        x[static_cast<std::size_t>(i)];
  }
  const float amax = reference::amax_rht_transposed(x.data(), shape, h);
  EXPECT_EQ(amax, reference::amax_rht_transposed(whole.data(), padded, h));
  std::vector<Bf16> out(x.size()), out_whole(whole.size());
  reference::rht_transposed(x.data(), shape, out.data(), h);
  reference::rht_transposed(whole.data(), padded, out_whole.data(), h);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(code_bytes(shape.transposed())));
  std::vector<std::uint8_t> scales(static_cast<std::size_t>(scale_bytes(shape.transposed())));
  std::vector<std::uint8_t> whole_codes(static_cast<std::size_t>(code_bytes(padded.transposed())));
  std::vector<std::uint8_t> whole_scales(
      static_cast<std::size_t>(scale_bytes(padded.transposed())));
  reference::quantize_transposed(x.data(), shape, amax, h, {codes.data(), scales.data()});
  reference::quantize_transposed(whole.data(), padded, amax, h,
                                 {whole_codes.data(), whole_scales.data()});
  const std::int64_t blocks = blocks_per_row(shape.transposed());
  const std::int64_t whole_blocks = blocks_per_row(padded.transposed());
  for (std::int64_t c = 0; c < shape.cols; ++c) {
    EXPECT_TRUE(std::equal(out.begin() + c * shape.rows, out.begin() + (c + 1) * shape.rows,
                           out_whole.begin() + c * padded.rows));
    EXPECT_TRUE(std::equal(codes.begin() + c * blocks * 8, codes.begin() + (c + 1) * blocks * 8,
                           whole_codes.begin() + c * whole_blocks * 8));
    EXPECT_TRUE(std::equal(scales.begin() + c * blocks, scales.begin() + (c + 1) * blocks,
                           whole_scales.begin() + c * whole_blocks));
  }
}

// One run spans several blocks, or one block several runs. The quantized values must be those of
// the separate transform.
TEST_P(HadamardOfSize, FusedEqualsTransformThenQuantize) {
  const Hadamard h = Hadamard::random(size(), 11);
  const Shape shape = {256, 32};
  const std::vector<float> x = random_values(static_cast<int>(shape.elements()), 12);
  std::vector<Bf16> transformed(x.size());
  reference::rht_transposed(x.data(), shape, transformed.data(), h);
  const float amax = reference::amax(transformed.data(), shape.transposed());
  EXPECT_EQ(amax, reference::amax_rht_transposed(x.data(), shape, h));
  const auto codes = static_cast<std::size_t>(code_bytes(shape));
  const auto scales = static_cast<std::size_t>(scale_bytes(shape));
  std::vector<std::uint8_t> c1(codes), s1(scales), c2(codes), s2(scales);
  reference::quantize_transposed(x.data(), shape, amax, h, {c1.data(), s1.data()});
  reference::quantize_1x16(transformed.data(), shape.transposed(), amax, {c2.data(), s2.data()});
  EXPECT_EQ(c1, c2);
  EXPECT_EQ(s1, s2);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HadamardOfSize, testing::Values(4, 8, 16, 32, 64, 128),
                         testing::PrintToStringParamName());

// Transformer Engine's transform, as written for size 16 only.
TEST(DefaultHadamard, MatchesTransformerEngineBitForBit) {
  constexpr float kSigns[16] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
  for (const int exponent : {0, -130, 120}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      float x[16], y[16];
      fill_random(x, 16, DataPattern::random_normal, seed, exponent);
      for (int i = 0; i < 16; ++i) {
        x[i] = bf16::to_float(bf16::from_float(x[i]));
        y[i] = x[i] * kSigns[i] / 16;
      }
      for (int half = 1; half < 16; half *= 2) {
        float z[16];
        for (int i = 0; i < 16; ++i) {
          z[i] = (i & half) == 0 ? y[i] + y[i + half] : y[i - half] - y[i];
        }
        std::copy(z, z + 16, y);
      }
      reference::transform(x, Transform::rht);
      for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(x[i]),
                  std::uint32_t{bf16::from_float(4 * y[i]).bits} << 16);
      }
    }
  }
}

TEST(RandomHadamard, TakesItsSignsFromPhilox) {
  // Known answer of Random123 for an all-ones counter and key.
  const Hadamard h = Hadamard::random(128, ~std::uint64_t{0});
  EXPECT_EQ(h.negative[0], 0x408f276du);
  EXPECT_EQ(h.negative[3], 0x6d5451fdu);
  EXPECT_NE(h, Hadamard::random(128, 1));
  for (const int size : {4, 8, 16, 32, 64}) {
    const Hadamard shorter = Hadamard::random(size, ~std::uint64_t{0});
    for (int i = 0; i < 128; ++i) {
      EXPECT_EQ(is_negative(shorter, i), i < size && is_negative(h, i));
    }
  }
}

TEST(Hadamard, RejectsOtherSizesByName) {
  for (const int size : {-16, 0, 1, 2, 12, 256}) {
    try {
      Hadamard::random(size, 1);
      FAIL() << size << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(size)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
