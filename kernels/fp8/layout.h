// SPDX-License-Identifier: Apache-2.0
// Memory layout of FP8 matrices. Every FP8 kernel accepts any matrix with at least one row and one
// column. Codes are not padded (row stride = columns). A block that extends beyond the edge is
// quantized as if the matrix were padded with zeros, so that there are ceil(n / block) blocks along
// n.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/formats/fp8_format.h"
#include "kernels/formats/shape.h"

namespace mansard::kernels::fp8 {

// Rounding of FP32 block scales. A power of two scales without a rounding error.
enum class ScaleRounding : std::uint8_t { power_of_two, none };

// The amax from which delayed scaling computes the scale.
enum class AmaxChoice : std::uint8_t { largest, newest };

// Scale of a whole tensor: codes = FP8(x * scale), values = codes * inverse.
struct TensorScale {
  float scale;
  float inverse;
};

// Codes with FP32 scales, which convert codes to values (1 / encoding scale). 1x128: the scale of
// (row, block of 128 columns) is at block * scale_stride(rows) + row, so that scales of adjacent
// rows are contiguous. 128x128: the scale of (row / 128, col / 128) is at row / 128 *
// scale_stride(ceil(cols / 128)) + col / 128. The padding of a stride holds zeros.
struct Blocks {
  std::uint8_t* codes = nullptr;
  float* scales = nullptr;
};

// Codes with one E8M0 scale per 1x32.
struct MxBlocks {
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
};

inline constexpr int kBlock = 128;
inline constexpr int kMxBlock = 32;

// 16 bytes: bulk copies need rows with this alignment.
constexpr std::int64_t scale_stride(std::int64_t scales) { return round_up(scales, 4); }

// Bytes of the scales of a matrix of shape `s` (for x^T: pass s.transposed()).
constexpr std::int64_t scale_bytes_1x128(Shape s) {
  return 4 * ceil_div(s.cols, kBlock) * scale_stride(s.rows);
}
constexpr std::int64_t scale_bytes_128x128(Shape s) {
  return 4 * ceil_div(s.rows, kBlock) * scale_stride(ceil_div(s.cols, kBlock));
}
constexpr std::int64_t mx_scale_bytes(ScaleLayout layout, Shape s) {
  return block_scale_bytes(layout, s.rows, ceil_div(s.cols, kMxBlock));
}

// Minimum traffic of one launch: each input byte is read once and each output byte is written once.
// A cast reads the four bytes of amax and writes the eight bytes of the scale computed from it.
namespace traffic {
constexpr std::int64_t cast(Shape s) { return 3 * s.elements() + 12; }
constexpr std::int64_t cast_transpose(Shape s) { return 4 * s.elements() + 12; }
constexpr std::int64_t block_1x128(Shape s) {
  return 4 * s.elements() + scale_bytes_1x128(s) + scale_bytes_1x128(s.transposed());
}
constexpr std::int64_t block_128x128(Shape s) {
  return 4 * s.elements() + scale_bytes_128x128(s) + scale_bytes_128x128(s.transposed());
}
constexpr std::int64_t mxfp8(ScaleLayout layout, Shape s) {
  return 4 * s.elements() + mx_scale_bytes(layout, s) + mx_scale_bytes(layout, s.transposed());
}
}  // namespace traffic

// A CUDA grid has at most 65535 tiles of 256 columns.
inline void check_shape(const char* operation, Shape shape) {
  constexpr std::int64_t kMaxCols = 65535 * std::int64_t{256};
  if (shape.rows > 0 && shape.cols > 0 && shape.cols <= kMaxCols) return;
  throw std::invalid_argument(
      std::string(operation) + " on a " + std::to_string(shape.rows) + "x" +
      std::to_string(shape.cols) +
      " matrix: the matrix must have at least one row, one column and at most " +
      std::to_string(kMaxCols) + " columns. Split wider matrices.");
}

}  // namespace mansard::kernels::fp8
