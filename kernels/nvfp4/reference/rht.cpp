// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/reference/tile.h"

namespace mansard::kernels::nvfp4::reference {
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
        Bf16 rounded[Hadamard::kLargest][kBlock];
        for (std::int64_t r = 0; r < rows; ++r) {
          for (int c = 0; c < kBlock; ++c) rounded[r][c] = bf16::from_float(tile.values[r][c]);
        }
        for (std::int64_t c = 0; c < cols; ++c) {
          Bf16* const target = out + (col + c) * shape.rows + row;
          for (std::int64_t r = 0; r < rows; ++r) target[r] = rounded[r][c];
        }
      });
}

}  // namespace mansard::kernels::nvfp4::reference
