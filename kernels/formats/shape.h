// SPDX-License-Identifier: Apache-2.0
// Matrix shapes, and the memory layouts of block scales.
#pragma once

#include <cstdint>

namespace mansard::kernels {

// Size of a row-major matrix without padding.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  constexpr std::int64_t elements() const { return rows * cols; }
  constexpr Shape transposed() const { return {cols, rows}; }
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return ceil_div(n, multiple) * multiple;
}

// Index of the eight-bit scale of block `col` in row `row`, for a matrix with `cols` blocks per
// row.
enum class ScaleLayout {
  linear,  // row-major
  tiled,   // tiles of 128 x 4 scales in 512 bytes, as read by tensor cores of CC 10 and later
};

// Source of the tiled layout: cuBLAS documentation, "1D Block Scaling Factors Layout".
constexpr std::int64_t scale_index(ScaleLayout layout, std::int64_t cols, std::int64_t row,
                                   std::int64_t col) {
  if (layout == ScaleLayout::linear) return row * cols + col;
  const std::int64_t tile = row / 128 * ceil_div(cols, 4) + col / 4;
  return (tile * 32 + row % 32) * 16 + row % 128 / 32 * 4 + col % 4;
}

// Bytes of the scales of `rows` rows with `cols` blocks. The tiled layout is zero-padded to
// multiples of 128 rows and 4 blocks.
constexpr std::int64_t block_scale_bytes(ScaleLayout layout, std::int64_t rows, std::int64_t cols) {
  return layout == ScaleLayout::linear ? rows * cols : round_up(rows, 128) * round_up(cols, 4);
}

}  // namespace mansard::kernels
