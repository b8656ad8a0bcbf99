// SPDX-License-Identifier: Apache-2.0
// The reference of MoR against its definition in FP64, and properties of the definition.
#include <limits>

#include <gtest/gtest.h>

#include "kernels/mor/reference.h"
#include "tests/kernels/mor/mor_inputs.h"

namespace mansard::kernels::mor {
namespace {

// The definition in FP64, where all products are exact, with explicit roundings.

// Nearest value with `bits` significant bits and no digits below 2^lowest; ties to even.
double rounded(double x, int bits, int lowest) {
  if (x == 0) return x;
  const double step = std::exp2(std::max(std::ilogb(x) - (bits - 1), lowest));
  return std::nearbyint(x / step) * step;
}
double to_fp32(double x) { return rounded(x, 24, -149); }
double to_bf16(double x) { return rounded(x, 8, -133); }

struct Fp8 {
  int bits, lowest;
  double largest;
  double nearest(double x) const { return std::clamp(rounded(x, bits, lowest), -largest, largest); }
};
constexpr Fp8 kFormats[] = {{4, -9, 448}, {3, -16, 57344}};

struct Scale {
  double encode, decode;
};

Scale scale_of(const Fp8& format, double block_amax, double tensor_amax) {
  double m = 1;
  if (tensor_amax != 0 && std::isfinite(tensor_amax)) {
    const double quotient = format.largest / tensor_amax;
    m = std::floor(std::ldexp(quotient, 23 - std::ilogb(quotient))) / std::exp2(23);
  }
  int e = block_amax == 0 ? 0 : 125;
  while (to_fp32(block_amax * m * std::exp2(e)) > format.largest) --e;
  return {m * std::exp2(e), to_fp32(1 / m) * std::exp2(-e)};
}

double value_of(const Fp8& format, double x, const Scale& scale) {
  return to_bf16(to_fp32(format.nearest(to_fp32(x * scale.encode)) * scale.decode));
}

struct Block {
  std::int64_t row, col, rows, cols;
};

std::vector<Block> blocks_of(Shape shape, bool whole) {
  if (whole) return {{0, 0, shape.rows, shape.cols}};
  std::vector<Block> all;
  for (std::int64_t row = 0; row < shape.rows; row += 128) {
    for (std::int64_t col = 0; col < shape.cols; col += 128) {
      all.push_back({row, col, std::min<std::int64_t>(128, shape.rows - row),
                     std::min<std::int64_t>(128, shape.cols - col)});
    }
  }
  return all;
}

struct Result {
  std::vector<std::uint16_t> bits;
  Counts counts;
};

Result expected(const MorInput& input, bool whole, double threshold) {
  Result result;
  result.bits.resize(input.x.size());
  const auto tensor_amax = double{input.amax()};
  for (const Block& block : blocks_of(input.shape, whole)) {
    std::vector<std::size_t> elements;
    for (std::int64_t row = block.row; row < block.row + block.rows; ++row) {
      for (std::int64_t col = block.col; col < block.col + block.cols; ++col) {
        elements.push_back(index_in(input, row, col));
      }
    }
    const auto x = [&](std::size_t i) { return double{bf16::to_float(input.x[i])}; };
    double amax = 0;
    for (const std::size_t i : elements) {
      amax = std::isnan(x(i)) || std::isnan(amax) ? NAN : std::max(amax, std::fabs(x(i)));
    }
    std::size_t chosen = 2;
    for (std::size_t f = 2; f-- > 0 && std::isfinite(amax);) {
      const Scale scale = scale_of(kFormats[f], amax, tensor_amax);
      double error = 0, sum = 0;
      for (const std::size_t i : elements) {
        error += std::fabs(x(i) - value_of(kFormats[f], x(i), scale));
        sum += std::fabs(x(i));
      }
      if (error <= threshold * sum) chosen = f;
      EXPECT_TRUE(error == 0 || std::fabs(error / (threshold * sum) - 1) > 1e-6)
          << input.name << ": the choice depends on the rounding of the sums";
    }
    for (const std::size_t i : elements) result.bits[i] = input.x[i].bits;
    if (chosen < 2) {
      const Scale scale = scale_of(kFormats[chosen], amax, tensor_amax);
      for (const std::size_t i : elements) {
        // nearbyint() keeps the sign of zero, as FP8 does.
        const double value = value_of(kFormats[chosen], x(i), scale);
        result.bits[i] = bf16::from_float(static_cast<float>(value)).bits;
      }
    }
    result.counts.blocks[chosen] += 1;
    result.counts.elements[chosen] += elements.size();
  }
  return result;
}

Result actual(const MorInput& input, bool whole, float threshold) {
  Result result;
  std::vector<Bf16> out(input.x.size());
  if (whole) {
    TensorChoice choice;
    reference::choose(input.x.data(), input.shape, input.amax(), threshold, &result.counts,
                      &choice);
    reference::quantize_tensor(input.x.data(), input.shape, input.amax(), choice, out.data());
  } else {
    reference::quantize_blocks(input.x.data(), input.shape, input.amax(), threshold, &result.counts,
                               out.data());
  }
  for (const Bf16 value : out) result.bits.push_back(value.bits);
  return result;
}

std::vector<std::uint16_t> bits_of(const MorInput& input) {
  std::vector<std::uint16_t> bits;
  for (const Bf16 x : input.x) bits.push_back(x.bits);
  return bits;
}

std::vector<std::uint64_t> as_vector(const Counts& c) {
  std::vector<std::uint64_t> all(c.blocks, c.blocks + 3);
  all.insert(all.end(), c.elements, c.elements + 3);
  return all;
}

TEST(MorReference, MatchesItsDefinitionInFp64BitForBit) {
  for (const MorInput& input : mor_inputs()) {
    for (const bool whole : {false, true}) {
      for (const double threshold : {0.0, 0.01, 0.03, 0.05}) {
        SCOPED_TRACE(input.name + (whole ? ", whole" : ", blocks") + ", threshold " +
                     std::to_string(threshold));
        const Result e = expected(input, whole, double{static_cast<float>(threshold)});
        const Result a = actual(input, whole, static_cast<float>(threshold));
        EXPECT_EQ(a.bits, e.bits);
        EXPECT_EQ(as_vector(a.counts), as_vector(e.counts));
      }
    }
  }
}

TEST(MorReference, ChoosesEachRepresentationForItsData) {
  const Result blocks = actual(block_for_each_representation(), false, 0.03f);
  for (int r = 0; r < kRepresentations; ++r) {
    EXPECT_EQ(blocks.counts.blocks[r], 1u) << r;
    EXPECT_EQ(blocks.counts.elements[r], 128u * 128u) << r;
  }
  // Whole tensors at the default threshold.
  MorInput tensor = normal_input({1024, 1024});
  EXPECT_EQ(actual(tensor, true, 0.05f).counts.blocks[0], 1u);
  // E4M3 loses everything but the outlier.
  tensor.x[0] = bf16::from_float(1e6f);
  EXPECT_EQ(actual(tensor, true, 0.05f).counts.blocks[1], 1u);
  // An error of 5.9 % in both formats.
  std::fill(tensor.x.begin(), tensor.x.end(), bf16::from_float(1.0625f));
  tensor.x[0] = bf16::from_float(1.75f);
  EXPECT_EQ(actual(tensor, true, 0.05f).counts.blocks[2], 1u);
}

TEST(MorReference, AThresholdOfZeroChangesNothing) {
  for (const MorInput& input : mor_inputs()) {
    for (const bool whole : {false, true}) {
      EXPECT_EQ(actual(input, whole, 0.0f).bits, bits_of(input)) << input.name;
    }
  }
}

TEST(MorReference, AHugeThresholdQuantizesEverythingFiniteToE4m3) {
  for (const MorInput& input : mor_inputs()) {
    for (const bool whole : {false, true}) {
      const Counts counts = actual(input, whole, 1e30f).counts;
      EXPECT_EQ(counts.blocks[1], 0u) << input.name;
      const bool finite = std::isfinite(input.amax());
      EXPECT_EQ(counts.blocks[2], finite ? 0u : 1u) << input.name;
    }
  }
}

// E4M3 keeps four significant bits, and BF16 rounds the value of a code by less than 2^-8 of it.
TEST(MorReference, RoundsNormalDataAsE4m3) {
  const MorInput input = normal_input({256, 384});
  const Result result = actual(input, false, 0.05f);
  const auto amax = double{input.amax()};
  EXPECT_EQ(result.counts.blocks[0], 6u);
  for (std::size_t i = 0; i < input.x.size(); ++i) {
    const double x = double{bf16::to_float(input.x[i])};
    const double value = double{bf16::to_float({result.bits[i]})};
    // Below 2^-6 of 448, steps no longer shrink.
    const double allowed =
        std::max(std::fabs(x) * (1.0 / 16 + 1.0 / 256), amax / 448 * std::exp2(-9.0));
    EXPECT_LE(std::fabs(value - x), allowed) << x;
  }
}

TEST(MorReference, TransposesHaveTheSameValues) {
  for (const MorInput& input : mor_inputs()) {
    MorInput turned = input;
    turned.shape = input.shape.transposed();
    for (std::int64_t row = 0; row < input.shape.rows; ++row) {
      for (std::int64_t col = 0; col < input.shape.cols; ++col) {
        turned.x[index_in(turned, col, row)] = input.x[index_in(input, row, col)];
      }
    }
    for (const bool whole : {false, true}) {
      const Result a = actual(input, whole, 0.03f), b = actual(turned, whole, 0.03f);
      EXPECT_EQ(as_vector(a.counts), as_vector(b.counts)) << input.name;
      bool same = true;
      for (std::int64_t row = 0; row < input.shape.rows; ++row) {
        for (std::int64_t col = 0; col < input.shape.cols; ++col) {
          same &= a.bits[index_in(input, row, col)] == b.bits[index_in(turned, col, row)];
        }
      }
      EXPECT_TRUE(same) << input.name;
    }
  }
}

// For all pairs of mantissas: the scaled amax is in the upper half of the range and does not exceed
// it, and the tensor's own amax is scaled to the largest value, within its rounding.
TEST(MorScales, UseTheRangeOfTheFormat) {
  for (int tensor = 128; tensor < 256; ++tensor) {
    const float m = reference::group_mantissa(static_cast<float>(tensor));
    EXPECT_GE(m, 1.0f);
    EXPECT_LT(m, 2.0f);
    for (const fp8::Format format : {fp8::Format::e4m3, fp8::Format::e5m2}) {
      const float largest = fp8::max_value(format);
      for (int block = 128; block < 256; ++block) {
        const auto amax = static_cast<float>(block);
        const float scaled = amax * reference::block_scale(format, amax, m).encode;
        EXPECT_LE(scaled, largest);
        EXPECT_GT(scaled, 0.499999f * largest);
        if (block == tensor) {
          EXPECT_GT(scaled, 0.999999f * largest);
        }
      }
    }
  }
}

// A NaN or an infinity stays in its block; the rest of the matrix is quantized.
TEST(MorReference, KeepsBlocksThatAreNotFinite) {
  for (const std::uint16_t bits : {std::uint16_t{0x7fc1}, std::uint16_t{0xff80}}) {
    MorInput input = normal_input({256, 256});
    input.x[index_in(input, 200, 3)] = {bits};
    const Result result = actual(input, false, 0.05f);
    EXPECT_EQ(result.counts.blocks[0], 3u);
    EXPECT_EQ(result.counts.blocks[2], 1u);
    EXPECT_EQ(result.bits[index_in(input, 200, 3)], bits);
    EXPECT_EQ(actual(input, true, 0.05f).bits, bits_of(input));
  }
}

TEST(MorReference, RefusesEmptyMatrices) {
  Counts counts;
  EXPECT_THROW(reference::quantize_blocks(nullptr, {0, 5}, 0, 0, &counts, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace mansard::kernels::mor
