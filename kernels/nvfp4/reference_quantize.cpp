// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/nvfp4/formats.h"
#include "kernels/nvfp4/parallel.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::nvfp4::reference {
namespace {

// As integers, magnitudes order as their values do, with NaN above infinity.
float max_magnitude(const float* values, int count) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff);
  }
  return std::bit_cast<float>(largest);
}

using Bytes16 = std::uint8_t[kBlock];

// Eight bytes: 16 codes, the even element in the low nibble. `random` is nullptr to round to
// nearest. The clamp to +-6 is in the roundings.
void encode_block(const float* values, float encode, const Bytes16* random, std::uint8_t* codes) {
  std::uint32_t nibbles[kBlock];
  if (random == nullptr) {
    for (int i = 0; i < kBlock; ++i) nibbles[i] = to_e2m1(values[i] * encode);
  } else {
    for (int i = 0; i < kBlock; ++i) {
      const int own = (*random)[i];
      const int next = (*random)[i ^ 1];
      nibbles[i] =
          to_e2m1_stochastic(values[i], encode, static_cast<std::uint16_t>(own << 8 | next));
    }
  }
  for (int i = 0; i < kBlock / 2; ++i) {
    codes[i] = static_cast<std::uint8_t>(nibbles[2 * i] | nibbles[2 * i + 1] << 4);
  }
}

// A 16x16 tile of x, zero where it lies outside, and of its random bytes.
using Tile = float[kBlock][kBlock];
struct Patch {
  Tile rows, cols;  // the tile and its transpose
  Bytes16 random_of_rows[kBlock], random_of_cols[kBlock];
};

void load_tile(const Bf16* x, Shape shape, std::int64_t band, std::int64_t strip, Patch& patch) {
  const std::int64_t row = band * kBlock;
  const std::int64_t col = strip * kBlock;
  const auto rows = static_cast<int>(std::min<std::int64_t>(kBlock, shape.rows - row));
  const auto cols = static_cast<int>(std::min<std::int64_t>(kBlock, shape.cols - col));
  if (rows < kBlock || cols < kBlock) std::fill_n(&patch.rows[0][0], kBlock * kBlock, 0.0f);
  for (int r = 0; r < rows; ++r) {
    const Bf16* source = x + (row + r) * shape.cols + col;
    for (int c = 0; c < cols; ++c) patch.rows[r][c] = bf16::to_float(source[c]);
  }
  for (int r = 0; r < kBlock; ++r) {
    for (int c = 0; c < kBlock; ++c) patch.cols[c][r] = patch.rows[r][c];
  }
}

void load_random(RandomState state, std::int64_t band, std::int64_t strip, Patch& patch) {
  for (int r = 0; r < kBlock; r += kPatchRows) {
    for (int c = 0; c < kBlock; c += kPatchCols) {
      const Random128 bits =
          random_patch(state, static_cast<std::uint32_t>((band * kBlock + r) / kPatchRows),
                       static_cast<std::uint32_t>((strip * kBlock + c) / kPatchCols));
      for (int i = 0; i < kPatchRows * kPatchCols; ++i) {
        const int row = r + i / kPatchCols;
        const int col = c + i % kPatchCols;
        const auto byte = static_cast<std::uint8_t>(bits.word[i / 4] >> (i % 4 * 8));
        patch.random_of_rows[row][col] = byte;
        patch.random_of_cols[col][row] = byte;
      }
    }
  }
}

// One quantised matrix: that of x or of its transpose.
class Writer {
 public:
  Writer(Matrix out, Shape shape, const Options& options)
      : out_(out),
        rows_(shape.rows),
        blocks_(blocks_per_row(shape)),
        layout_(options.layout),
        stochastic_(options.random != nullptr) {
    if (layout_ == ScaleLayout::tiled) {
      std::fill_n(out.scales, scale_bytes(shape, layout_), std::uint8_t{0});
    }
  }
  // The 16 values from row `row`, block `block` on; nothing where that is below the matrix.
  void put(std::int64_t row, std::int64_t block, const float* values, BlockScale scale,
           const Bytes16& random) const {
    if (row >= rows_) return;
    encode_block(values, scale.encode, stochastic_ ? &random : nullptr,
                 out_.codes + (row * blocks_ + block) * (kBlock / 2));
    out_.scales[scale_index(layout_, blocks_, row, block)] = scale.stored;
  }

 private:
  Matrix out_;
  std::int64_t rows_, blocks_;
  ScaleLayout layout_;
  bool stochastic_;
};

// Strips of columns that one piece of parallel work takes: 32 columns are one cache line of x.
constexpr std::int64_t kStripsPerPiece = 2;

// body(band, strip, patch) for each tile, the random bytes filled in where `options` has any.
template <typename Body>
void for_each_tile(const Bf16* x, Shape shape, const Options& options, const Body& body) {
  const std::int64_t bands = (shape.rows + kBlock - 1) / kBlock;
  const std::int64_t strips = blocks_per_row(shape);
  parallel_for((strips + kStripsPerPiece - 1) / kStripsPerPiece, [&](std::int64_t piece) {
    Patch patch;
    const std::int64_t end = std::min(strips, (piece + 1) * kStripsPerPiece);
    for (std::int64_t band = 0; band < bands; ++band) {
      for (std::int64_t strip = piece * kStripsPerPiece; strip < end; ++strip) {
        load_tile(x, shape, band, strip, patch);
        if (options.random != nullptr) load_random(*options.random, band, strip, patch);
        body(band, strip, patch);
      }
    }
  });
}

}  // namespace

std::uint32_t to_e2m1_stochastic(float x, float encode, std::uint16_t random) {
  constexpr auto kBits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
  constexpr std::uint32_t kBelowEight = kBits(12.0f) - 1;  // codes end at 7
  const float magnitude = std::fabs(x);
  const float beyond_4 = std::fma(magnitude, 0.5f * encode, -2.0f);
  const float excess = beyond_4 > 0 ? std::min(beyond_4, 1.0f) : 0.0f;
  const float z = std::fma(magnitude, encode, 6.0f) - excess;
  const std::uint32_t carried = std::min(kBits(z) + (std::uint32_t{random} << 4), kBelowEight);
  return (carried - kBits(6.0f)) >> 20 | (x < 0 ? 8u : 0u);
}

void quantize_1x16(const Bf16* x, Shape shape, float tensor_amax, Matrix out,
                   const Options& options) {
  require_shape("quantise 1x16", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const Writer writer(out, shape, options);
  for_each_tile(x, shape, options, [&](std::int64_t band, std::int64_t strip, const Patch& patch) {
    for (int r = 0; r < kBlock; ++r) {
      const BlockScale scale = block_scale(max_magnitude(patch.rows[r], kBlock), tensor_scale);
      writer.put(band * kBlock + r, strip, patch.rows[r], scale, patch.random_of_rows[r]);
    }
  });
}

void quantize_16x16(const Bf16* x, Shape shape, float tensor_amax, Matrix out, Matrix out_t,
                    const Options& options) {
  require_shape("quantise 16x16", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const Writer writer(out, shape, options);
  const Writer writer_t(out_t, shape.transposed(), options);
  for_each_tile(x, shape, options, [&](std::int64_t band, std::int64_t strip, const Patch& patch) {
    const BlockScale scale =
        block_scale(max_magnitude(&patch.rows[0][0], kBlock * kBlock), tensor_scale);
    for (int i = 0; i < kBlock; ++i) {
      writer.put(band * kBlock + i, strip, patch.rows[i], scale, patch.random_of_rows[i]);
      writer_t.put(strip * kBlock + i, band, patch.cols[i], scale, patch.random_of_cols[i]);
    }
  });
}

void quantize_transposed(const Bf16* x, Shape shape, float tensor_amax, Transform transform,
                         Matrix out, const Options& options) {
  require_shape("transposed quantise", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const Writer writer(out, shape.transposed(), options);
  for_each_tile(x, shape, options, [&](std::int64_t band, std::int64_t strip, Patch& patch) {
    for (int c = 0; c < kBlock; ++c) {
      if (transform == Transform::rht) rht16(patch.cols[c]);
      const BlockScale scale = block_scale(max_magnitude(patch.cols[c], kBlock), tensor_scale);
      writer.put(strip * kBlock + c, band, patch.cols[c], scale, patch.random_of_cols[c]);
    }
  });
}

void dequantize(Matrix in, Shape shape, Bf16* out, ScaleLayout layout) {
  require_shape("dequantise", shape);
  const std::int64_t blocks = blocks_per_row(shape);
  parallel_for(shape.rows, [&](std::int64_t row) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const float scale = from_e4m3(in.scales[scale_index(layout, blocks, row, block)]);
      Bf16 values[16];
      for (int code = 0; code < 16; ++code) {
        values[code] = bf16::from_float(kE2m1Values[code] * scale);
      }
      const std::uint8_t* codes = in.codes + (row * blocks + block) * (kBlock / 2);
      Bf16* target = out + row * shape.cols + block * kBlock;
      const auto count =
          static_cast<int>(std::min<std::int64_t>(kBlock, shape.cols - block * kBlock));
      for (int i = 0; i < count; ++i) target[i] = values[codes[i / 2] >> (i % 2 * 4) & 0xf];
    }
  });
}

}  // namespace mansard::nvfp4::reference
