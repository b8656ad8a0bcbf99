// SPDX-License-Identifier: Apache-2.0
// A 128x64 tile of a matrix of any element type, as FP32 in shared memory. It is as tall as the
// longest Hadamard transform, so that one reading yields rows and transformed columns. Zero beyond
// the matrix.
#pragma once

#include <cuda_fp16.h>

#include "kernels/formats/bf16.h"
#include "kernels/formats/half.h"
#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::nvfp4::device {

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(Bf16 x) {
  return __uint_as_float(std::uint32_t{x.bits} << 16);
}
__device__ __forceinline__ float to_float(Half x) { return __half2float(__ushort_as_half(x.bits)); }

struct FloatTile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 64;
  static constexpr int kBands = kRows / 16;   // blocks of 16 down a column
  static constexpr int kStrips = kCols / 16;  // blocks of 16 along a row
  static constexpr int kThreads = 256;
  // Rows are 16-byte aligned, and elements of a column in successive rows are four banks apart.
  static constexpr int kPitch = kCols + 4;

  float values[kRows][kPitch];

  // Loads the tile that starts at (row, col) of x. Called by all threads; the caller synchronizes.
  // Returns the largest magnitude, as bits, of the elements that this thread loaded.
  template <typename T>
  __device__ __forceinline__ std::uint32_t load(const T* x, Shape shape, std::int64_t row,
                                                std::int64_t col) {
    constexpr int kPerVector = 16 / static_cast<int>(sizeof(T));
    if (shape.cols % kPerVector != 0) return load_elements(x, shape, row, col);
    constexpr int kVectorsPerRow = kCols / kPerVector;
    constexpr int kRowsPerSweep = kThreads / kVectorsPerRow;
    constexpr int kSweeps = kRows / kRowsPerSweep;
    const int first = static_cast<int>(threadIdx.x) / kVectorsPerRow;
    const int c = static_cast<int>(threadIdx.x) % kVectorsPerRow * kPerVector;
    uint4 vectors[kSweeps];  // all loads are issued before the first result is used
#pragma unroll
    for (int i = 0; i < kSweeps; ++i) {
      const std::int64_t r = row + first + i * kRowsPerSweep;
      vectors[i] = {0u, 0u, 0u, 0u};
      if (r < shape.rows && col + c < shape.cols) {
        vectors[i] = __ldcs(reinterpret_cast<const uint4*>(x + r * shape.cols + col + c));
      }
    }
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kSweeps; ++i) {
      const T* const elements = reinterpret_cast<const T*>(&vectors[i]);
      float* const target = &values[first + i * kRowsPerSweep][c];
#pragma unroll
      for (int e = 0; e < kPerVector; e += 4) {
        const float4 four = {to_float(elements[e]), to_float(elements[e + 1]),
                             to_float(elements[e + 2]), to_float(elements[e + 3])};
        *reinterpret_cast<float4*>(target + e) = four;
        largest = max(max(max(largest, magnitude_bits(four.x)), magnitude_bits(four.y)),
                      max(magnitude_bits(four.z), magnitude_bits(four.w)));
      }
    }
    return largest;
  }

  __device__ __forceinline__ void row_block(int row, int strip, float (&block)[16]) const {
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&values[row][strip * 16 + i]);
      block[i] = four.x;
      block[i + 1] = four.y;
      block[i + 2] = four.z;
      block[i + 3] = four.w;
    }
  }

  __device__ __forceinline__ void column_block(int band, int col, float (&block)[16]) const {
#pragma unroll
    for (int i = 0; i < 16; ++i) block[i] = values[band * 16 + i][col];
  }

 private:
  // Rows that are not 16-byte aligned.
  template <typename T>
  __device__ __noinline__ std::uint32_t load_elements(const T* x, Shape shape, std::int64_t row,
                                                      std::int64_t col) {
    std::uint32_t largest = 0;
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols; i += kThreads) {
      const std::int64_t r = row + i / kCols;
      const std::int64_t c = col + i % kCols;
      const bool inside = r < shape.rows && c < shape.cols;
      const float value = inside ? to_float(x[r * shape.cols + c]) : 0.0f;
      values[i / kCols][i % kCols] = value;
      largest = max(largest, magnitude_bits(value));
    }
    return largest;
  }
};

// The tiles of a matrix in row-major order.
struct FloatTiles {
  std::int64_t across;
  std::int64_t count;
};
inline FloatTiles float_tiles(Shape shape) {
  const std::int64_t across = (shape.cols + FloatTile::kCols - 1) / FloatTile::kCols;
  return {across, across * ((shape.rows + FloatTile::kRows - 1) / FloatTile::kRows)};
}

}  // namespace mansard::kernels::nvfp4::device
