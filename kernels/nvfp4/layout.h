// SPDX-License-Identifier: Apache-2.0
// Shapes, layouts and sizes of NVFP4 matrices, and the traffic of each kernel.
//
// Any shape of at least 1x1 is valid. Blocks have 16 elements. Rows that end within a block, and
// 16x16 tiles or columns that extend beyond the matrix, are padded with zeros. The padding has code
// 0, does not affect a block's maximum, and takes part in the Hadamard transform as zeros. Rows of
// codes and scales consist of whole blocks: ceil(cols / 16) * 8 bytes of codes and ceil(cols / 16)
// bytes of scales.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/formats/shape.h"

namespace mansard::kernels::nvfp4 {

inline constexpr int kBlock = 16;  // elements that share one E4M3 scale

constexpr std::int64_t blocks_per_row(Shape s) { return ceil_div(s.cols, kBlock); }

// A quantized rows x cols matrix: two E2M1 codes per byte, the even element in the low nibble, and
// one E4M3 scale per 1x16.
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
  return block_scale_bytes(layout, s.rows, blocks_per_row(s));
}
constexpr std::int64_t bf16_bytes(Shape s) { return s.elements() * 2; }
constexpr std::int64_t quantized_bytes(Shape s) { return code_bytes(s) + scale_bytes(s); }

// Minimum traffic of one launch: each input byte is read once and each output byte is written once,
// including the four-byte amax values. x has elements of two bytes unless specified.
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
