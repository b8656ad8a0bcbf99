// SPDX-License-Identifier: Apache-2.0
// Hadamard transform down the columns of a tile in shared memory, for every size and sign vector;
// hadamard.h defines the arithmetic.
#pragma once

#include "kernels/nvfp4/device/float_tile.cuh"
#include "kernels/nvfp4/hadamard.h"

namespace mansard::kernels::nvfp4::device {

// Bit i: the sign of row i of band `band` is negative.
__device__ __forceinline__ std::uint32_t negative_rows(const Hadamard& h, int band) {
  if (h.size >= 16) {
    const int first = band * 16 & (h.size - 1);
    return h.negative[first / 32] >> (first % 32);
  }
  const std::uint32_t run = h.negative[0] & ((1u << h.size) - 1u);
  return h.size == 8 ? run * 0x0101u : run * 0x1111u;
}

__device__ __forceinline__ void apply_signs(float (&x)[16], const Hadamard& h, int band) {
  const std::uint32_t negative = negative_rows(h, band);
  const std::uint32_t factor = __float_as_uint(h.before());
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    x[i] = __fmul_rn(x[i], __uint_as_float(factor | (negative << (31 - i) & 0x80000000u)));
  }
}

// Butterfly stages with distances 1, 2, ... below `size`.
template <int kCount>
__device__ __forceinline__ void butterflies(float (&x)[kCount], int size) {
#pragma unroll
  for (int half = 1; half < kCount; half *= 2) {
    if (half >= size) return;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if ((i & half) != 0) continue;
      const float a = x[i];
      const float b = x[i + half];
      x[i] = __fadd_rn(a, b);
      x[i + half] = __fsub_rn(a, b);
    }
  }
}

template <int kCount>
__device__ __forceinline__ void finish(float (&x)[kCount], const Hadamard& h) {
  const float factor = h.after();
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const std::uint32_t rounded =
        __bfloat16_as_ushort(__float2bfloat16_rn(__fmul_rn(x[i], factor)));
    x[i] = __uint_as_float(rounded << 16);
  }
}

// Transforms of more than 16 elements, in place: first 16 rows of a column, then the same row of
// all its bands.
__device__ __forceinline__ void transform_long(FloatTile& tile, const Hadamard& h) {
  constexpr int kItems = FloatTile::kCols * FloatTile::kBands;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int band = item / FloatTile::kCols;
    const int col = item % FloatTile::kCols;
    float x[16];
    tile.column_block(band, col, x);
    apply_signs(x, h, band);
    butterflies(x, 16);
#pragma unroll
    for (int i = 0; i < 16; ++i) tile.values[band * 16 + i][col] = x[i];
  }
  __syncthreads();
  constexpr int kAcross = FloatTile::kCols * 16;
  for (int item = static_cast<int>(threadIdx.x); item < kAcross; item += FloatTile::kThreads) {
    const int row = item / FloatTile::kCols;
    const int col = item % FloatTile::kCols;
    float x[FloatTile::kBands];
#pragma unroll
    for (int i = 0; i < FloatTile::kBands; ++i) x[i] = tile.values[i * 16 + row][col];
    butterflies(x, h.size / 16);
    finish(x, h);
#pragma unroll
    for (int i = 0; i < FloatTile::kBands; ++i) tile.values[i * 16 + row][col] = x[i];
  }
  __syncthreads();
}

// Calls body(band, col, values) for every transformed block of 16 down a column. Called by all
// threads on a complete tile. Each block belongs to one thread, so that `body` may overwrite its
// values with results.
template <typename Body>
__device__ __forceinline__ void for_each_column_block(FloatTile& tile, const Hadamard& h,
                                                      const Body& body) {
  if (h.size > 16) transform_long(tile, h);
  constexpr int kItems = FloatTile::kCols * FloatTile::kBands;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int band = item / FloatTile::kCols;
    const int col = item % FloatTile::kCols;
    float x[16];
    tile.column_block(band, col, x);
    if (h.size > 1 && h.size <= 16) {
      apply_signs(x, h, band);
      butterflies(x, h.size);
      finish(x, h);
    }
    body(band, col, x);
  }
}

}  // namespace mansard::kernels::nvfp4::device
