// SPDX-License-Identifier: Apache-2.0
// Shapes, layouts and sizes of NVFP4 matrices, and what each kernel must move.
//
// Any shape of at least 1x1 is taken. Blocks have 16 elements; a row that ends within a block, and
// a tile of 16x16 or a column that ends below the matrix, go on with zeros. So the padding has code
// 0, does not raise a block's maximum, and takes part in the Hadamard transform as zeros. Rows of
// codes and scales are whole blocks: ceil(cols / 16) * 8 bytes and ceil(cols / 16) bytes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mansard::kernels::nvfp4 {

// Rows and columns of a matrix, row-major without padding.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  constexpr std::int64_t elements() const { return rows * cols; }
  constexpr Shape transposed() const { return {cols, rows}; }
};

// Where the E4M3 scale of block `col` of row `row` lies among those of a matrix of `cols` blocks a
// row.
enum class ScaleLayout {
  linear,  // row-major
  tiled,   // tiles of 128 x 4 scales in 512 bytes, as the tensor cores of CC 10 and later read them
};
constexpr std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}
constexpr std::int64_t blocks_per_row(Shape s) { return (s.cols + 15) / 16; }

// Source of the tiled layout: cuBLAS documentation, "1D Block Scaling Factors Layout".
constexpr std::int64_t scale_index(ScaleLayout layout, std::int64_t cols, std::int64_t row,
                                   std::int64_t col) {
  if (layout == ScaleLayout::linear) return row * cols + col;
  const std::int64_t tile = row / 128 * ((cols + 3) / 4) + col / 4;
  return (tile * 32 + row % 32) * 16 + row % 128 / 32 * 4 + col % 4;
}

// A quantised rows x cols matrix: two E2M1 codes a byte, the even element in the low nibble, and
// one E4M3 scale for each 1x16. Tiled scales are padded with zeros to 128 rows and 4 blocks.
struct Matrix {
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
};

enum class Transform { none, rht };

inline void require_shape(const char* operation, Shape shape) {
  if (shape.rows > 0 && shape.cols > 0) return;
  throw std::invalid_argument(std::string(operation) + " on a " + std::to_string(shape.rows) + "x" +
                              std::to_string(shape.cols) +
                              " matrix: rows and columns must be positive.");
}

constexpr std::int64_t code_bytes(Shape s) { return s.rows * blocks_per_row(s) * 8; }
constexpr std::int64_t scale_bytes(Shape s, ScaleLayout layout = ScaleLayout::linear) {
  return layout == ScaleLayout::linear ? s.rows * blocks_per_row(s)
                                       : round_up(s.rows, 128) * round_up(blocks_per_row(s), 4);
}
constexpr std::int64_t bf16_bytes(Shape s) { return s.elements() * 2; }
constexpr std::int64_t quantized_bytes(Shape s) { return code_bytes(s) + scale_bytes(s); }

// Least traffic of one launch: each input byte read once, each output byte written once, the
// four-byte amax values included. x has elements of two bytes, or of as many as are given.
namespace traffic {
constexpr std::int64_t amax(Shape s) { return bf16_bytes(s) + 4; }
constexpr std::int64_t amax_rht(Shape s, std::int64_t element_bytes) {
  return s.elements() * element_bytes + 8;
}
constexpr std::int64_t amax_rht(Shape s) { return amax_rht(s, 2); }
constexpr std::int64_t rht(Shape s) { return 2 * bf16_bytes(s); }
constexpr std::int64_t quantize(Shape s, std::int64_t element_bytes) {
  return s.elements() * element_bytes + quantized_bytes(s) + 4;
}
constexpr std::int64_t quantize(Shape s) { return quantize(s, 2); }
constexpr std::int64_t quantize_transposed(Shape s) {
  return bf16_bytes(s) + quantized_bytes(s.transposed()) + 4;
}
constexpr std::int64_t quantize_both(Shape s, std::int64_t element_bytes) {
  return s.elements() * element_bytes + quantized_bytes(s) + quantized_bytes(s.transposed()) + 8;
}
constexpr std::int64_t quantize_both(Shape s) { return quantize_both(s, 2); }
constexpr std::int64_t dequantize(Shape s) { return quantized_bytes(s) + bf16_bytes(s); }
constexpr std::int64_t gemm_alpha() { return 12; }
constexpr std::int64_t next_random() { return 16; }
}  // namespace traffic

}  // namespace mansard::kernels::nvfp4
