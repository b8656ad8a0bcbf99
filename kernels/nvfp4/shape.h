// SPDX-License-Identifier: Apache-2.0
// The shape rule of every NVFP4 kernel of Mansard, and what each of them must move.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mansard::nvfp4 {

// Rows and columns of a BF16 matrix, row-major without padding.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t elements() const { return rows * cols; }
};

// A quantised rows x cols matrix: two E2M1 codes a byte, the even element in the low nibble
// (rows x cols/2 bytes), and one E4M3 scale for each 1x16 (rows x cols/16 bytes).
struct Matrix {
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
};

enum class Transform { none, rht };

inline void require_shape(const char* operation, Shape shape) {
  if (shape.rows > 0 && shape.cols > 0 && shape.rows % 16 == 0 && shape.cols % 16 == 0) return;
  throw std::invalid_argument(std::string(operation) + " on a " + std::to_string(shape.rows) + "x" +
                              std::to_string(shape.cols) +
                              " matrix: NVFP4 blocks need rows and columns that are positive "
                              "multiples of 16. Pad the matrix with zeros to the next multiple.");
}

constexpr std::int64_t code_bytes(Shape s) { return s.rows * s.cols / 2; }
constexpr std::int64_t scale_bytes(Shape s) { return s.rows * s.cols / 16; }
constexpr std::int64_t bf16_bytes(Shape s) { return s.rows * s.cols * 2; }
constexpr std::int64_t quantized_bytes(Shape s) { return code_bytes(s) + scale_bytes(s); }

// Least traffic of one launch: each input byte read once, each output byte written once, the
// four-byte amax values included.
namespace traffic {
constexpr std::int64_t amax(Shape s) { return bf16_bytes(s) + 4; }
constexpr std::int64_t amax_rht(Shape s) { return bf16_bytes(s) + 8; }
constexpr std::int64_t rht(Shape s) { return 2 * bf16_bytes(s); }
constexpr std::int64_t quantize(Shape s) { return bf16_bytes(s) + quantized_bytes(s) + 4; }
constexpr std::int64_t quantize_16x16(Shape s) {
  return bf16_bytes(s) + 2 * quantized_bytes(s) + 4;
}
constexpr std::int64_t dequantize(Shape s) { return quantized_bytes(s) + bf16_bytes(s); }
constexpr std::int64_t gemm_alpha() { return 12; }
}  // namespace traffic

}  // namespace mansard::nvfp4
