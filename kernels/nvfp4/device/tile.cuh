// SPDX-License-Identifier: Apache-2.0
// A 128x64 tile of a BF16 matrix in shared memory, for kernels that read it by columns and write
// its transpose. Both accesses are coalesced: rows are loaded as 128 B, columns are stored as runs
// of eight blocks.
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::nvfp4::device {

inline constexpr int kTileRows = 128;
inline constexpr int kTileCols = 64;
inline constexpr int kTileThreads = 256;
inline constexpr int kTileBands = kTileRows / 16;   // blocks of 16 along a column
inline constexpr int kTileStrips = kTileCols / 16;  // blocks of 16 along a row
inline constexpr int kPairs = kTileCols / 2;
// One thread for each band of each pair of columns.
static_assert(kPairs * kTileBands == kTileThreads);

// Rows of BF16 pairs.
using TileWords = std::uint32_t[kTileRows][kPairs];

// Position of a thread block's tile in the matrix. Edge tiles are cut to whole 16x16 pieces.
struct TilePlace {
  std::int64_t row, col;
  int rows, cols;
};

__device__ __forceinline__ TilePlace tile_place(Shape shape) {
  const std::int64_t row = std::int64_t{blockIdx.y} * kTileRows;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTileCols;
  return {row, col, static_cast<int>(min(shape.rows - row, std::int64_t{kTileRows})),
          static_cast<int>(min(shape.cols - col, std::int64_t{kTileCols}))};
}

__device__ __forceinline__ void load_tile(const Bf16* x, Shape shape, TilePlace place,
                                          TileWords& tile) {
  constexpr int kVectorsPerRow = kTileCols / 8;
  constexpr int kRowsPerSweep = kTileThreads / kVectorsPerRow;
  const int col = static_cast<int>(threadIdx.x) % kVectorsPerRow * 8;
#pragma unroll
  for (int r = 0; r < kTileRows; r += kRowsPerSweep) {
    const int row = r + static_cast<int>(threadIdx.x) / kVectorsPerRow;
    if (row >= place.rows || col >= place.cols) continue;
    const Bf16* source = x + (place.row + row) * shape.cols + place.col + col;
    *reinterpret_cast<uint4*>(&tile[row][col / 2]) = *reinterpret_cast<const uint4*>(source);
  }
  __syncthreads();
}

// The 16 rows of band `band` in columns 2 * pair and 2 * pair + 1.
__device__ __forceinline__ void load_columns(const TileWords& tile, int band, int pair,
                                             float (&even)[16], float (&odd)[16]) {
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t word = tile[band * 16 + i][pair];
    even[i] = low_bf16(word);
    odd[i] = high_bf16(word);
  }
}

inline dim3 tile_grid(Shape shape) {
  return {static_cast<unsigned>((shape.cols + kTileCols - 1) / kTileCols),
          static_cast<unsigned>((shape.rows + kTileRows - 1) / kTileRows)};
}

}  // namespace mansard::kernels::nvfp4::device
