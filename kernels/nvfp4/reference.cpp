// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/reference.h"

#include <atomic>
#include <limits>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/nvfp4/reference/codes.h"
#include "kernels/nvfp4/reference/tile.h"

namespace mansard::kernels::nvfp4::reference {
namespace {

// Arithmetic of the scales. The comparisons are written so that NaN propagates.
using E4m3 = fp8::FormatTraits<fp8::Format::e4m3>;
constexpr float kFloatMax = std::numeric_limits<float>::max();
constexpr float clamp_above(float x, float limit) { return x > limit ? limit : x; }

}  // namespace

float tensor_encode_scale(float tensor_amax) {
  if (tensor_amax == 0.0f) return 1.0f;
  const float scale = clamp_above(kE2m1Max * E4m3::kMax / tensor_amax, kFloatMax);
  return scale == 0.0f ? 1.0f : scale;
}

std::uint8_t stored_scale(float block_amax, float tensor_scale) {
  constexpr float kSixth = 1.0f / 6.0f;
  const float decode = clamp_above(block_amax * (tensor_scale * kSixth), kFloatMax);
  return fp8::encode<fp8::Format::e4m3>(clamp_above(decode, E4m3::kMax));
}

float encode_scale(std::uint8_t stored, float tensor_scale) {
  return clamp_above(1.0f / (fp8::decode(fp8::Format::e4m3, stored) * (1.0f / tensor_scale)),
                     kFloatMax);
}

BlockScale block_scale(float block_amax, float tensor_scale) {
  const std::uint8_t stored = stored_scale(block_amax, tensor_scale);
  return {stored, encode_scale(stored, tensor_scale)};
}

float gemm_alpha(float amax_a, float amax_b) {
  constexpr float kFactor = 1.0f / (36.0f * 448.0f * 448.0f);
  return amax_a * amax_b * kFactor;
}

namespace {

void raise_to(std::atomic<std::int32_t>& largest, std::int32_t value) {
  std::int32_t seen = largest;
  while (seen < value && !largest.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

float amax(Input input, Shape shape) {
  require_shape("amax", shape);
  constexpr std::int64_t kPiece = 65536;
  const std::int64_t elements = shape.elements();
  std::atomic<std::int32_t> largest = 0;
  for_element_type(input, [&](const auto* x) {
    vector_parallel_for((elements + kPiece - 1) / kPiece, [&](std::int64_t piece) {
      const std::int64_t end = std::min(elements, (piece + 1) * kPiece);
      std::int32_t of_piece = 0;
      for (std::int64_t i = piece * kPiece; i < end; ++i) {
        of_piece = std::max(of_piece, magnitude_bits(to_float(x[i])));
      }
      raise_to(largest, of_piece);
    });
  });
  return std::bit_cast<float>(largest.load());
}

void transform(float* values, const Hadamard& hadamard) {
  require_hadamard("transform", hadamard, 4);
  transform_runs<1>(values, hadamard);
}

float amax_rht_transposed(Input x, Shape shape, const Hadamard& hadamard) {
  require_shape("amax of the RHT", shape);
  require_hadamard("amax of the RHT", hadamard, 4);
  std::atomic<std::int32_t> largest = 0;
  for_each_tile_column(x, shape, hadamard, [&](std::int64_t, std::int64_t, const TileColumn& tile) {
    std::int32_t of_tile = 0;
    for (int r = 0; r < group_rows(hadamard); ++r) {
      for (int c = 0; c < kBlock; ++c) {
        of_tile = std::max(of_tile, magnitude_bits(tile.values[r][c]));
      }
    }
    raise_to(largest, of_tile);
  });
  return std::bit_cast<float>(largest.load());
}

void rht_transposed(Input x, Shape shape, Bf16* out, const Hadamard& hadamard) {
  require_shape("RHT", shape);
  require_hadamard("RHT", hadamard, 4);
  for_each_tile_column(
      x, shape, hadamard, [&](std::int64_t row, std::int64_t col, const TileColumn& tile) {
        const std::int64_t rows = std::min<std::int64_t>(group_rows(hadamard), shape.rows - row);
        const std::int64_t cols = std::min<std::int64_t>(kBlock, shape.cols - col);
        Bf16 rounded[Hadamard::kMaxSize][kBlock];
        for (std::int64_t r = 0; r < rows; ++r) {
          for (int c = 0; c < kBlock; ++c) rounded[r][c] = bf16::from_float(tile.values[r][c]);
        }
        for (std::int64_t c = 0; c < cols; ++c) {
          Bf16* const target = out + (col + c) * shape.rows + row;
          for (std::int64_t r = 0; r < rows; ++r) target[r] = rounded[r][c];
        }
      });
}

namespace {

// block_scale() for one tensor. The element factor depends only on the stored scale, so its two
// divisions are done once for each of the 128 possible scales.
class BlockScales {
 public:
  explicit BlockScales(float tensor_amax) : tensor_scale_(tensor_encode_scale(tensor_amax)) {
    for (int code = 0; code < 128; ++code) {
      encode_[code] = encode_scale(static_cast<std::uint8_t>(code), tensor_scale_);
    }
  }
  BlockScale of(float block_amax) const {
    const std::uint8_t stored = stored_scale(block_amax, tensor_scale_);
    return {stored, encode_[stored]};
  }

 private:
  float tensor_scale_;
  float encode_[128];
};

// One quantized matrix: x by rows, or its transpose by x's columns.
template <Direction kDirection>
class Writer {
 public:
  // `shape` is the shape of x.
  Writer(Matrix out, Shape shape, float tensor_amax, const Options& options)
      : out_(out),
        shape_(kDirection == Direction::rows ? shape : shape.transposed()),
        blocks_(blocks_per_row(shape_)),
        scales_(tensor_amax),
        options_(options) {
    if (options.layout == ScaleLayout::tiled) {
      std::fill_n(out.scales, scale_bytes(shape_, options.layout), std::uint8_t{0});
    }
  }

  // Quantizes the tile of x that starts at (row, col). `square`: one scale for all blocks of the
  // tile.
  void put(std::int64_t row, std::int64_t col, const Tile& values, bool square = false) const {
    float maxima[kBlock];
    block_maxima<kDirection>(values, maxima);
    if (square) {
      std::int32_t largest = 0;
      for (const float m : maxima) largest = std::max(largest, magnitude_bits(m));
      std::fill_n(maxima, kBlock, std::bit_cast<float>(largest));
    }
    std::uint8_t stored[kBlock];
    float encode[kBlock];
    for (int i = 0; i < kBlock; ++i) {
      const BlockScale scale = scales_.of(maxima[i]);
      stored[i] = scale.stored;
      encode[i] = scale.encode;
    }
    ByteTile random;
    CodeTile codes;
    if (options_.random != nullptr) draw(*options_.random, row, col, random);
    encode_tile<kDirection>(values, encode, options_.random != nullptr ? &random : nullptr, codes);
    PackedTile packed;
    pack<kDirection>(codes, packed);

    const std::int64_t out_row = kDirection == Direction::rows ? row : col;
    const std::int64_t block = (kDirection == Direction::rows ? col : row) / kBlock;
    const auto rows = static_cast<int>(std::min<std::int64_t>(kBlock, shape_.rows - out_row));
    for (int i = 0; i < rows; ++i) {
      std::uint8_t* const target = out_.codes + ((out_row + i) * blocks_ + block) * (kBlock / 2);
      store_word(packed[0][i], target);
      store_word(packed[1][i], target + 4);
      out_.scales[scale_index(options_.layout, blocks_, out_row + i, block)] = stored[i];
    }
  }

 private:
  Matrix out_;
  Shape shape_;
  std::int64_t blocks_;
  BlockScales scales_;
  Options options_;
};

// Calls body(row, col, 16x16 values) for every tile of x, with transformed columns.
template <typename Body>
void for_each_tile(Input x, Shape shape, const Hadamard& hadamard, const Body& body) {
  for_each_tile_column(
      x, shape, hadamard, [&](std::int64_t row, std::int64_t col, const TileColumn& column) {
        const std::int64_t end = std::min<std::int64_t>(group_rows(hadamard), shape.rows - row);
        for (std::int64_t r = 0; r < end; r += kBlock) {
          body(row + r, col, reinterpret_cast<const Tile&>(column.values[r]));
        }
      });
}

}  // namespace

void quantize_1x16(Input x, Shape shape, float tensor_amax, Matrix out, const Options& options) {
  require_shape("quantize 1x16", shape);
  const Writer<Direction::rows> writer(out, shape, tensor_amax, options);
  for_each_tile(
      x, shape, Transform::none,
      [&](std::int64_t row, std::int64_t col, const Tile& tile) { writer.put(row, col, tile); });
}

void quantize_16x16(Input x, Shape shape, float tensor_amax, Matrix out, Matrix out_t,
                    const Options& options) {
  require_shape("quantize 16x16", shape);
  const Writer<Direction::rows> writer(out, shape, tensor_amax, options);
  const Writer<Direction::columns> writer_t(out_t, shape, tensor_amax, options);
  for_each_tile(x, shape, Transform::none,
                [&](std::int64_t row, std::int64_t col, const Tile& tile) {
                  writer.put(row, col, tile, true);
                  writer_t.put(row, col, tile, true);
                });
}

void quantize_transposed(Input x, Shape shape, float tensor_amax, const Hadamard& hadamard,
                         Matrix out, const Options& options) {
  require_shape("transposed quantize", shape);
  require_hadamard("transposed quantize", hadamard);
  const Writer<Direction::columns> writer(out, shape, tensor_amax, options);
  for_each_tile(x, shape, hadamard, [&](std::int64_t row, std::int64_t col, const Tile& tile) {
    writer.put(row, col, tile);
  });
}

void dequantize(Matrix in, Shape shape, Bf16* out, ScaleLayout layout) {
  require_shape("dequantize", shape);
  const std::int64_t blocks = blocks_per_row(shape);
  vector_parallel_for(shape.rows, [&](std::int64_t row) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::uint8_t stored = in.scales[scale_index(layout, blocks, row, block)];
      const float scale = fp8::decode(fp8::Format::e4m3, stored);
      const std::uint8_t* const codes = in.codes + (row * blocks + block) * (kBlock / 2);
      std::uint32_t unpacked[kBlock];
      for (int i = 0; i < kBlock / 2; ++i) {
        unpacked[2 * i] = codes[i] & 0xfu;
        unpacked[2 * i + 1] = static_cast<std::uint32_t>(codes[i] >> 4);
      }
      Bf16 values[kBlock];
      for (int i = 0; i < kBlock; ++i) values[i] = bf16::from_float(from_e2m1(unpacked[i]) * scale);
      const std::int64_t count = std::min<std::int64_t>(kBlock, shape.cols - block * kBlock);
      std::copy(values, values + count, out + row * shape.cols + block * kBlock);
    }
  });
}

}  // namespace mansard::kernels::nvfp4::reference
