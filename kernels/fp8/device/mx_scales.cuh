// SPDX-License-Identifier: Apache-2.0
// Staged E8M0 scales of one 128x256 tile in one direction. Shared memory uses the tensor core's
// layout, which divides the scales of a tile into whole pieces of 512 bytes.
#pragma once

#include "kernels/fp8/device/tile.cuh"

namespace mansard::kernels::fp8::device {

// A piece holds the scales of 128x128 elements: 128 lines (rows of x or x^T) of 4 scales.
inline constexpr int kScalePieceBytes = 512;

struct alignas(16) StagedScales {
  std::uint8_t bytes[2][kScalePieceBytes];

  // The four scales of a line are adjacent.
  static __device__ __forceinline__ int offset(int line) { return line % 32 * 16 + line / 32 * 4; }

  __device__ __forceinline__ void put(int piece, int line, int block, std::uint32_t scale) {
    bytes[piece][offset(line) + block] = static_cast<std::uint8_t>(scale);
  }
  __device__ __forceinline__ std::uint32_t four(int piece, int line) const {
    return *reinterpret_cast<const std::uint32_t*>(bytes[piece] + offset(line));
  }
};

// Threads 32 * i to 32 * i + 31 write piece i, which is tile `tile` of the whole array.
__device__ __forceinline__ void write_piece(const StagedScales& staged, int piece,
                                            std::int64_t tile, std::uint8_t* __restrict__ out) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  __stcs(reinterpret_cast<uint4*>(out + tile * kScalePieceBytes) + lane,
         reinterpret_cast<const uint4*>(staged.bytes[piece])[lane]);
}

// Stores the four scales of one line, starting at block `first`, to an array of lines x blocks
// bytes.
__device__ __forceinline__ void write_line(std::uint32_t four, std::int64_t line,
                                           std::int64_t first, std::int64_t blocks,
                                           std::uint8_t* __restrict__ out) {
  std::uint8_t* target = out + line * blocks + first;
  if (blocks % 4 == 0) {
    *reinterpret_cast<std::uint32_t*>(target) = four;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (first + i < blocks) target[i] = static_cast<std::uint8_t>(four >> (8 * i));
  }
}

// All scales of a tile, of x and of x^T. A piece covers 128 rows x 128 columns of x, or the
// transpose in x^T.
__device__ __forceinline__ void write_scales(ScaleLayout layout, const StagedScales& of_rows,
                                             const StagedScales& of_columns, const Tile& tile,
                                             Shape shape, std::uint8_t* __restrict__ out,
                                             std::uint8_t* __restrict__ out_t) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t blocks = ceil_div(shape.cols, kMxBlock);
  const std::int64_t blocks_t = ceil_div(shape.rows, kMxBlock);
  if (layout == ScaleLayout::tiled) {
    const int warp = thread / 32;
    const int piece = warp % 2;
    // Whether the first column of the piece is inside the matrix; false if there is no such piece.
    if (warp >= 4 || piece * kBlock >= tile.cols) return;
    const std::int64_t row = tile.row / kBlock;
    const std::int64_t col = tile.col / kBlock + piece;
    if (warp < 2) {
      write_piece(of_rows, piece, row * ceil_div(blocks, 4) + col, out);
    } else {
      write_piece(of_columns, piece, col * ceil_div(blocks_t, 4) + row, out_t);
    }
    return;
  }
  // Two threads per row, one per column.
  const int piece = thread % 2;
  const int row = thread / 2;
  if (row < tile.rows && piece * kBlock < tile.cols) {
    write_line(of_rows.four(piece, row), tile.row + row, tile.col / kMxBlock + 4 * piece, blocks,
               out);
  }
  if (thread < tile.cols) {
    write_line(of_columns.four(thread / kBlock, thread % kBlock), tile.col + thread,
               tile.row / kMxBlock, blocks_t, out_t);
  }
}

}  // namespace mansard::kernels::fp8::device
