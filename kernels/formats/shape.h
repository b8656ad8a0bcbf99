// SPDX-License-Identifier: Apache-2.0
// Shapes of matrices, and where their block scales lie in memory.
#pragma once

#include <cstdint>

namespace mansard::kernels {

// Rows and columns of a matrix, row-major without padding.
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

// Where the eight-bit scale of block `col` of row `row` lies among those of a matrix of `cols`
// blocks a row.
enum class ScaleLayout {
  linear,  // row-major
  tiled,   // tiles of 128 x 4 scales in 512 bytes, as the tensor cores of CC 10 and later read them
};

// Source of the tiled layout: cuBLAS documentation, "1D Block Scaling Factors Layout".
constexpr std::int64_t scale_index(ScaleLayout layout, std::int64_t cols, std::int64_t row,
                                   std::int64_t col) {
  if (layout == ScaleLayout::linear) return row * cols + col;
  const std::int64_t tile = row / 128 * ceil_div(cols, 4) + col / 4;
  return (tile * 32 + row % 32) * 16 + row % 128 / 32 * 4 + col % 4;
}

// Bytes of the scales of `rows` rows of `cols` blocks: the tiled ones are padded with zeros to 128
// rows and 4 blocks.
constexpr std::int64_t block_scale_bytes(ScaleLayout layout, std::int64_t rows, std::int64_t cols) {
  return layout == ScaleLayout::linear ? rows * cols : round_up(rows, 128) * round_up(cols, 4);
}

}  // namespace mansard::kernels
