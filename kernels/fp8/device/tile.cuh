// SPDX-License-Identifier: Apache-2.0
// The tile of 128 rows x 256 columns that a thread block converts from BF16 to FP8 in both
// directions. The data stay in registers from the single reading to both results: rows are stored
// directly, columns through shared memory, so that both are runs of at least 128 bytes.
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/fp8/device/arithmetic.cuh"
#include "kernels/fp8/device/predicated_load.cuh"

namespace mansard::kernels::fp8::device {

inline constexpr int kThreads = 256;
inline constexpr int kTileRows = 128;
inline constexpr int kTileCols = 256;
// 128 registers per thread. The loads of two thread blocks, 128 KiB, are several times the bytes
// that one SM needs in flight for its share of the memory bandwidth.
inline constexpr int kBlocksPerSm = 2;

// Consecutive thread blocks take vertically adjacent tiles, so that their writes to rows of x^T are
// contiguous. These are the shortest runs of a tile (128 bytes, vs. 256 of codes and 512 of x), and
// the only ones that the L2 must merge to write whole memory pages.
struct Tile {
  std::int64_t row, col;
  int rows, cols;
};
__device__ __forceinline__ Tile this_tile(Shape shape) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kTileRows;
  const std::int64_t col = std::int64_t{blockIdx.y} * kTileCols;
  return {row, col, static_cast<int>(min(shape.rows - row, std::int64_t{kTileRows})),
          static_cast<int>(min(shape.cols - col, std::int64_t{kTileCols}))};
}
inline dim3 tile_grid(Shape shape) {
  return {static_cast<unsigned>(ceil_div(shape.rows, kTileRows)),
          static_cast<unsigned>(ceil_div(shape.cols, kTileCols))};
}

// Rows whose 8 (or 4) columns start at a multiple of 16 (or 8) bytes.
inline bool aligned(Shape shape) { return shape.cols % 8 == 0; }

// A single instruction; 64-bit factors would take several and more registers (check_shape() limits
// columns to less than 2^31).
__device__ __forceinline__ std::int64_t wide(int a, int b) { return std::int64_t{a} * b; }

// A thread's kRows x kCols elements: their position in the tile and the number inside the matrix
// (either both counts are positive or both are zero).
template <int kRows, int kCols>
struct Piece {
  int row, col;
  int rows, cols;

  __device__ __forceinline__ Piece(const Tile& tile, int row_in_tile, int col_in_tile)
      : row(row_in_tile),
        col(col_in_tile),
        rows(max(min(tile.rows - row_in_tile, kRows), 0)),
        cols(max(min(tile.cols - col_in_tile, kCols), 0)) {
    if (cols == 0) rows = 0;
    if (rows == 0) cols = 0;
  }
};

// Zero outside the matrix.
template <bool kAligned, int kRows, int kCols>
__device__ __forceinline__ void load_piece(const Bf16* __restrict__ x, Shape shape,
                                           const Tile& tile, const Piece<kRows, kCols>& piece,
                                           std::uint32_t (&words)[kRows][kCols / 2]) {
  const Bf16* source = x + (tile.row + piece.row) * shape.cols + tile.col + piece.col;
  const int stride = static_cast<int>(shape.cols);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if constexpr (kAligned) {
      load_if(r < piece.rows, source + wide(r, stride), words[r]);
    } else {
#pragma unroll
      for (int c = 0; c < kCols; c += 2) {
        const std::uint32_t low =
            r < piece.rows && c < piece.cols ? source[wide(r, stride) + c].bits : 0u;
        const std::uint32_t high =
            r < piece.rows && c + 1 < piece.cols ? source[wide(r, stride) + c + 1].bits : 0u;
        words[r][c / 2] = low | high << 16;
      }
    }
  }
}

// Stores the codes of row `r` of a piece; `out` is the address of the piece's first code.
template <bool kAligned, int kRows, int kCols>
__device__ __forceinline__ void store_row(const std::uint32_t (&codes)[kCols / 4], int r,
                                          const Piece<kRows, kCols>& piece, Shape shape,
                                          std::uint8_t* __restrict__ out) {
  if (r >= piece.rows) return;
  std::uint8_t* target = out + wide(r, static_cast<int>(shape.cols));
  if constexpr (kAligned && kCols == 8) {
    __stcs(reinterpret_cast<uint2*>(target), make_uint2(codes[0], codes[1]));
  } else if constexpr (kAligned) {
    __stcs(reinterpret_cast<std::uint32_t*>(target), codes[0]);
  } else {
#pragma unroll
    for (int c = 0; c < kCols; ++c) {
      if (c < piece.cols) target[c] = static_cast<std::uint8_t>(codes[c / 4] >> (8 * (c % 4)));
    }
  }
}

// The tile's codes by columns. Adjacent threads write kCols columns apart; 16 bytes of padding
// after every kCols columns put their 16-byte pieces in different banks.
template <int kCols>
struct alignas(16) StagedColumns {
  std::uint8_t bytes[kTileCols * kTileRows + kTileCols / kCols * 16];

  static __device__ __forceinline__ int offset(int col) {
    return col * kTileRows + col / kCols * 16;
  }
  __device__ __forceinline__ void put(int row, int col, uint4 codes_of_16_rows) {
    *reinterpret_cast<uint4*>(bytes + offset(col) + row) = codes_of_16_rows;
  }

  // `out_t` is cols x rows. Eight threads write the 128 bytes of a column.
  __device__ __forceinline__ void write(const Tile& tile, Shape shape,
                                        std::uint8_t* __restrict__ out_t) const {
    std::uint8_t* target = out_t + tile.col * shape.rows + tile.row;
    const int thread = static_cast<int>(threadIdx.x);
    if (shape.rows % 16 == 0) {
      const int row = thread % 8 * 16;
      if (row >= tile.rows) return;
#pragma unroll
      for (int i = 0; i < kTileCols; i += kThreads / 8) {
        const int col = i + thread / 8;
        if (col >= tile.cols) break;
        __stcs(reinterpret_cast<uint4*>(target + col * shape.rows + row),
               *reinterpret_cast<const uint4*>(bytes + offset(col) + row));
      }
    } else {
      for (int i = thread; i < tile.cols * kTileRows; i += kThreads) {
        const int col = i / kTileRows;
        const int row = i % kTileRows;
        if (row < tile.rows) target[col * shape.rows + row] = bytes[offset(col) + row];
      }
    }
  }
};

}  // namespace mansard::kernels::fp8::device
