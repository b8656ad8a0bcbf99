// SPDX-License-Identifier: Apache-2.0
// Quantizes a tile block by block with the plain arithmetic. Used where no kernel is tuned: partial
// tiles, matrices whose rows are not 16-byte aligned, tensors so large that their scales nearly
// vanish, and columns whose transform overflows between stages.
#pragma once

#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/device/quantize_arguments.h"

namespace mansard::kernels::nvfp4::device {

struct TileBounds {
  std::int64_t row, col;  // multiples of 16
  int rows, cols;         // multiples of 16; may reach beyond the matrix
};

__device__ __forceinline__ float element(const QuantizeArguments& a, std::int64_t row,
                                         std::int64_t col) {
  if (row >= a.shape.rows || col >= a.shape.cols) return 0.0f;
  return low_bf16(a.x[row * a.shape.cols + col].bits);
}

// Random byte of the element. Redrawn for each neighbor, because this path need not be fast.
__device__ __forceinline__ std::uint32_t random_byte(RandomState state, std::int64_t row,
                                                     std::int64_t col) {
  const Random128 bits = random_patch(state, static_cast<std::uint32_t>(row / kPatchRows),
                                      static_cast<std::uint32_t>(col / kPatchCols));
  const int byte = static_cast<int>(row % kPatchRows * kPatchCols + col % kPatchCols);
  std::uint32_t word = bits.word[0];
  if (byte / 4 == 1) word = bits.word[1];
  if (byte / 4 == 2) word = bits.word[2];
  if (byte / 4 == 3) word = bits.word[3];
  return word >> (byte % 4 * 8) & 0xffu;
}

// The block of 16 that starts at (row, col), along the row or down the column.
template <bool kDown, Transform kTransform>
__device__ __noinline__ void plain_block(const QuantizeArguments& a, std::int64_t row,
                                         std::int64_t col, float tensor_scale, float square_amax) {
  float values[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) values[i] = element(a, row + (kDown ? i : 0), col + (kDown ? 0 : i));
  if (kTransform == Transform::rht) rht16(values);
  const float largest =
      square_amax >= 0.0f || square_amax != square_amax ? square_amax : max_magnitude(values);
  const BlockScale scale = block_scale(largest, tensor_scale);
  uint2 codes;
  if (a.random == nullptr) {
    codes = encode_block(values, scale.encode);
  } else {
    const RandomState state = *a.random;
    codes = {0u, 0u};
    for (int i = 0; i < 16; ++i) {
      const auto byte = [&](int at) {
        return random_byte(state, row + (kDown ? at : 0), col + (kDown ? 0 : at));
      };
      const std::uint32_t random = byte(i) << 8 | byte(i ^ 1);
      const std::uint32_t code = to_e2m1(values[i], scale.encode, random) << (4 * (i % 8));
      (i < 8 ? codes.x : codes.y) |= code;
    }
  }
  const Matrix& out = kDown ? a.out_t : a.out;
  const std::int64_t blocks = ((kDown ? a.shape.rows : a.shape.cols) + 15) / 16;
  const std::int64_t out_row = kDown ? col : row;
  const std::int64_t out_block = (kDown ? row : col) / 16;
  reinterpret_cast<uint2*>(out.codes)[out_row * blocks + out_block] = codes;
  out.scales[scale_index(a.layout, blocks, out_row, out_block)] = scale.stored;
}

// Negative: each block uses its own scale.
inline constexpr float kOwnScale = -1.0f;

__device__ __forceinline__ float square_amax(const QuantizeArguments& a, std::int64_t row,
                                             std::int64_t col) {
  std::uint32_t largest = 0;
  for (int i = 0; i < 256; ++i) {
    largest = max(largest, magnitude_bits(element(a, row + i / 16, col + i % 16)));
  }
  return __uint_as_float(largest);
}

// Called by all threads of the thread block.
template <bool kRows, bool kCols, Transform kTransform, bool kSquare>
__device__ __noinline__ void plain_tile(const QuantizeArguments& a, TileBounds tile) {
  const int strips = tile.cols / 16;
  if (kRows) {
    const float tensor_scale = tensor_encode_scale(*a.amax);
    for (int i = static_cast<int>(threadIdx.x); i < tile.rows * strips;
         i += static_cast<int>(blockDim.x)) {
      const std::int64_t row = tile.row + i / strips;
      const std::int64_t col = tile.col + i % strips * 16;
      if (row >= a.shape.rows || col >= a.shape.cols) continue;
      const float shared = kSquare ? square_amax(a, row / 16 * 16, col) : kOwnScale;
      plain_block<false, Transform::none>(a, row, col, tensor_scale, shared);
    }
  }
  if (kCols) {
    const float tensor_scale = tensor_encode_scale(*a.amax_t);
    for (int i = static_cast<int>(threadIdx.x); i < tile.rows / 16 * tile.cols;
         i += static_cast<int>(blockDim.x)) {
      const std::int64_t row = tile.row + i / tile.cols * 16;
      const std::int64_t col = tile.col + i % tile.cols;
      if (row >= a.shape.rows || col >= a.shape.cols) continue;
      const float shared = kSquare ? square_amax(a, row, col / 16 * 16) : kOwnScale;
      plain_block<true, kTransform>(a, row, col, tensor_scale, shared);
    }
  }
}

}  // namespace mansard::kernels::nvfp4::device
