// SPDX-License-Identifier: Apache-2.0
// A column of tiles on the host: 16 columns of x by the rows of one Hadamard transform (at least
// 16), zero-padded at the edges of the matrix. Loops run along the columns so that they vectorize,
// and x^T needs no transposed copy.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/device/vector_for.h"
#include "kernels/formats/e2m1.h"
#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"

namespace mansard::kernels::nvfp4::reference {

struct TileColumn {
  float values[Hadamard::kMaxSize][kBlock];
};

constexpr int group_rows(const Hadamard& hadamard) { return std::max(kBlock, hadamard.size); }

constexpr float to_float(float x) { return x; }
constexpr float to_float(Bf16 x) { return bf16::to_float(x); }
constexpr float to_float(Half x) { return half::to_float(x); }

// Loads `rows` rows of 16 columns that start at (row, col).
template <typename T>
void load(const T* x, Shape shape, std::int64_t row, std::int64_t col, int rows, TileColumn& tile) {
  const std::int64_t inside = std::min<std::int64_t>(rows, shape.rows - row);
  const auto cols = static_cast<int>(std::min<std::int64_t>(kBlock, shape.cols - col));
  if (inside < rows || cols < kBlock) std::fill_n(&tile.values[0][0], rows * kBlock, 0.0f);
  for (std::int64_t r = 0; r < inside; ++r) {
    const T* const source = x + (row + r) * shape.cols + col;
    // More rows than the hardware prefetches at a time. A prefetch hint may point beyond the
    // matrix.
    __builtin_prefetch(source + 128 / sizeof(T));
    if (cols == kBlock) {
      for (int c = 0; c < kBlock; ++c) tile.values[r][c] = to_float(source[c]);
    } else {
      for (int c = 0; c < cols; ++c) tile.values[r][c] = to_float(source[c]);
    }
  }
}

// `kColumns` interleaved runs: element i of run c is values[i * kColumns + c].
template <int kColumns>
void transform_runs(float* values, const Hadamard& hadamard) {
  const int size = hadamard.size;
  const float before = hadamard.before();
  for (int i = 0; i < size; ++i) {
    const bool negative = (hadamard.negative[i / 32] >> (i % 32) & 1u) != 0;
    const float factor = negative ? -before : before;
    for (int c = 0; c < kColumns; ++c) values[i * kColumns + c] *= factor;
  }
  for (int half = 1; half < size; half *= 2) {
    for (int i = 0; i < size; ++i) {
      if ((i & half) != 0) continue;
      float* const upper = values + i * kColumns;
      float* const lower = upper + half * kColumns;
      float sum[kColumns], difference[kColumns];  // separate, to vectorize
      for (int c = 0; c < kColumns; ++c) sum[c] = upper[c] + lower[c];
      for (int c = 0; c < kColumns; ++c) difference[c] = upper[c] - lower[c];
      std::copy(sum, sum + kColumns, upper);
      std::copy(difference, difference + kColumns, lower);
    }
  }
  const float after = hadamard.after();
  for (int i = 0; i < size * kColumns; ++i) {
    values[i] = bf16::to_float(bf16::from_float(values[i] * after));
  }
}

// Transforms all runs in a column of tiles; does nothing if the size is 1.
inline void transform_tiles(TileColumn& tile, const Hadamard& hadamard) {
  if (hadamard.size == 1) return;
  for (int first = 0; first < group_rows(hadamard); first += hadamard.size) {
    transform_runs<kBlock>(tile.values[first], hadamard);
  }
}

// As integers, magnitudes have the same order as their values, with NaN above infinity.
constexpr std::int32_t magnitude_bits(float x) {
  return std::bit_cast<std::int32_t>(x) & 0x7fffffff;
}

// Size of one piece of parallel work: fits in a core's caches, and yields whole cache lines of
// codes of x^T.
inline constexpr std::int64_t kPieceRows = 128;
inline constexpr std::int64_t kPieceCols = 256;
static_assert(kPieceRows % Hadamard::kMaxSize == 0);

// Calls body(row, col, tile) for every transformed column of tiles of x, vectorized, on all cores.
template <typename Body>
void for_each_tile_column(Input input, Shape shape, const Hadamard& hadamard, const Body& body) {
  const std::int64_t pieces_across = (shape.cols + kPieceCols - 1) / kPieceCols;
  const std::int64_t pieces_down = (shape.rows + kPieceRows - 1) / kPieceRows;
  const int rows = group_rows(hadamard);
  for_element_type(input, [&](const auto* x) {
    vector_parallel_for(pieces_down * pieces_across, [&](std::int64_t piece) {
      const std::int64_t first_row = piece / pieces_across * kPieceRows;
      const std::int64_t first_col = piece % pieces_across * kPieceCols;
      const std::int64_t end_row = std::min(shape.rows, first_row + kPieceRows);
      const std::int64_t end_col = std::min(shape.cols, first_col + kPieceCols);
      TileColumn tile;
      for (std::int64_t col = first_col; col < end_col; col += kBlock) {
        for (std::int64_t row = first_row; row < end_row; row += rows) {
          load(x, shape, row, col, rows, tile);
          transform_tiles(tile, hadamard);
          body(row, col, tile);
        }
      }
    });
  });
}

}  // namespace mansard::kernels::nvfp4::reference
