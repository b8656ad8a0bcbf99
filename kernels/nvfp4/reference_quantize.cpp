// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

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

// Eight bytes: 16 codes, the even element in the low nibble. The clamp to +-6 is in to_e2m1.
void encode_block(const float* values, float encode, std::uint8_t* codes) {
  std::uint32_t nibbles[kBlock];
  for (int i = 0; i < kBlock; ++i) nibbles[i] = to_e2m1(values[i] * encode);
  for (int i = 0; i < kBlock / 2; ++i) {
    codes[i] = static_cast<std::uint8_t>(nibbles[2 * i] | nibbles[2 * i + 1] << 4);
  }
}

// Rows and columns of the 16x16 tile at (16 * band, 16 * strip).
using Tile = float[kBlock][kBlock];
void load_tile(const Bf16* x, Shape shape, std::int64_t band, std::int64_t strip, Tile& tile,
               Tile& transposed) {
  for (int r = 0; r < kBlock; ++r) {
    const Bf16* row = x + (band * kBlock + r) * shape.cols + strip * kBlock;
    for (int c = 0; c < kBlock; ++c) {
      tile[r][c] = bf16::to_float(row[c]);
      transposed[c][r] = tile[r][c];
    }
  }
}

// Block `block` of row `row` in a quantised matrix of `blocks` blocks a row.
void store_block(const float* values, BlockScale scale, Matrix out, std::int64_t row,
                 std::int64_t block, std::int64_t blocks) {
  const std::int64_t index = row * blocks + block;
  encode_block(values, scale.encode, out.codes + index * (kBlock / 2));
  out.scales[index] = scale.stored;
}

// Strips of columns that one piece of parallel work takes: 32 columns are one cache line of x.
constexpr std::int64_t kStripsPerPiece = 2;

template <typename Body>
void for_each_tile(Shape shape, const Body& body) {
  const std::int64_t bands = shape.rows / kBlock;
  const std::int64_t strips = shape.cols / kBlock;
  parallel_for((strips + kStripsPerPiece - 1) / kStripsPerPiece, [&](std::int64_t piece) {
    const std::int64_t end = std::min(strips, (piece + 1) * kStripsPerPiece);
    for (std::int64_t band = 0; band < bands; ++band) {
      for (std::int64_t strip = piece * kStripsPerPiece; strip < end; ++strip) body(band, strip);
    }
  });
}

}  // namespace

void quantize_1x16(const Bf16* x, Shape shape, float tensor_amax, Matrix out) {
  require_shape("quantise 1x16", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const std::int64_t blocks = shape.cols / kBlock;
  parallel_for(shape.rows, [&](std::int64_t row) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      float values[kBlock];
      for (int i = 0; i < kBlock; ++i) {
        values[i] = bf16::to_float(x[row * shape.cols + block * kBlock + i]);
      }
      const BlockScale scale = block_scale(max_magnitude(values, kBlock), tensor_scale);
      store_block(values, scale, out, row, block, blocks);
    }
  });
}

void quantize_16x16(const Bf16* x, Shape shape, float tensor_amax, Matrix out, Matrix out_t) {
  require_shape("quantise 16x16", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const std::int64_t bands = shape.rows / kBlock;
  const std::int64_t strips = shape.cols / kBlock;
  for_each_tile(shape, [&](std::int64_t band, std::int64_t strip) {
    Tile tile, transposed;
    load_tile(x, shape, band, strip, tile, transposed);
    const BlockScale scale = block_scale(max_magnitude(&tile[0][0], kBlock * kBlock), tensor_scale);
    for (int i = 0; i < kBlock; ++i) {
      store_block(tile[i], scale, out, band * kBlock + i, strip, strips);
      store_block(transposed[i], scale, out_t, strip * kBlock + i, band, bands);
    }
  });
}

void quantize_transposed(const Bf16* x, Shape shape, float tensor_amax, Transform transform,
                         Matrix out) {
  require_shape("transposed quantise", shape);
  const float tensor_scale = tensor_encode_scale(tensor_amax);
  const std::int64_t bands = shape.rows / kBlock;
  for_each_tile(shape, [&](std::int64_t band, std::int64_t strip) {
    Tile tile, transposed;
    load_tile(x, shape, band, strip, tile, transposed);
    for (int c = 0; c < kBlock; ++c) {
      if (transform == Transform::rht) rht16(transposed[c]);
      const BlockScale scale = block_scale(max_magnitude(transposed[c], kBlock), tensor_scale);
      store_block(transposed[c], scale, out, strip * kBlock + c, band, bands);
    }
  });
}

void dequantize(Matrix in, Shape shape, Bf16* out) {
  require_shape("dequantise", shape);
  const std::int64_t blocks = shape.cols / kBlock;
  parallel_for(shape.rows, [&](std::int64_t row) {
    for (std::int64_t block = row * blocks; block < (row + 1) * blocks; ++block) {
      const float scale = from_e4m3(in.scales[block]);
      Bf16 values[16];
      for (int code = 0; code < 16; ++code) {
        values[code] = bf16::from_float(kE2m1Values[code] * scale);
      }
      for (int i = 0; i < kBlock / 2; ++i) {
        const std::uint8_t pair = in.codes[block * (kBlock / 2) + i];
        out[block * kBlock + 2 * i] = values[pair & 0xf];
        out[block * kBlock + 2 * i + 1] = values[pair >> 4];
      }
    }
  });
}

}  // namespace mansard::nvfp4::reference
