// SPDX-License-Identifier: Apache-2.0
// A column of tiles on the host: 16 columns of x over the rows that one Hadamard transform spans,
// at least 16, padded with zeros at the matrix's edges. Loops run along the columns, which are
// vector code, and what they do to x^T needs no transposed copy.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/device/vector_for.h"
#include "kernels/formats/e2m1.h"
#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"

namespace mansard::kernels::nvfp4::reference {

struct TileColumn {
  float values[Hadamard::kLargest][kBlock];
};

constexpr int group_rows(const Hadamard& hadamard) { return std::max(kBlock, hadamard.size); }

constexpr float to_float(float x) { return x; }
constexpr float to_float(Bf16 x) { return bf16::to_float(x); }
constexpr float to_float(Half x) { return half::to_float(x); }

// `rows` rows of 16 columns from (row, col) on.
template <typename T>
void load(const T* x, Shape shape, std::int64_t row, std::int64_t col, int rows, TileColumn& tile) {
  const std::int64_t inside = std::min<std::int64_t>(rows, shape.rows - row);
  const auto cols = static_cast<int>(std::min<std::int64_t>(kBlock, shape.cols - col));
  if (inside < rows || cols < kBlock) std::fill_n(&tile.values[0][0], rows * kBlock, 0.0f);
  for (std::int64_t r = 0; r < inside; ++r) {
    const T* const source = x + (row + r) * shape.cols + col;
    // More rows than hardware prefetches at a time. A hint, which may point beyond the matrix.
    __builtin_prefetch(source + 128 / sizeof(T));
    if (cols == kBlock) {
      for (int c = 0; c < kBlock; ++c) tile.values[r][c] = to_float(source[c]);
    } else {
      for (int c = 0; c < cols; ++c) tile.values[r][c] = to_float(source[c]);
    }
  }
}

// `kColumns` runs side by side: element i of run c is values[i * kColumns + c].
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
      float sum[kColumns], difference[kColumns];  // apart from the tile, so that vectors form
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

// All runs of a column of tiles; nothing for a transform of size 1.
inline void transform_tiles(TileColumn& tile, const Hadamard& hadamard) {
  if (hadamard.size == 1) return;
  for (int first = 0; first < group_rows(hadamard); first += hadamard.size) {
    transform_runs<kBlock>(tile.values[first], hadamard);
  }
}

// As integers, magnitudes order as their values do, with NaN above infinity.
constexpr std::int32_t magnitude_bits(float x) {
  return std::bit_cast<std::int32_t>(x) & 0x7fffffff;
}

// What one piece of parallel work takes: small enough for a core's caches, and of x^T it makes
// whole cache lines of codes.
inline constexpr std::int64_t kPieceRows = 128;
inline constexpr std::int64_t kPieceCols = 256;
static_assert(kPieceRows % Hadamard::kLargest == 0);

// body(row, col, tile) for every column of tiles of x, transformed, in vector code on all cores.
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
