// SPDX-License-Identifier: Apache-2.0
// Register layout of kernels that need both rows and columns of a BF16 matrix. A thread holds a
// strip of 16 rows by eight columns: it owns each block of 16 down a column, and shares each block
// along a row with its neighbor. A band of 16 threads reads 256 contiguous bytes of each row; the
// bands of a thread block are stacked vertically. Their 128 x 128 tile is stored as runs of 64
// bytes of codes and 8 bytes of scales in either direction.
#pragma once

#include <algorithm>

#include "kernels/formats/bf16.h"
#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::nvfp4::device {

inline constexpr int kStripRows = 16;
inline constexpr int kStripCols = 8;
inline constexpr int kStripLanes = 16;  // threads per band
inline constexpr int kStripTileCols = kStripLanes * kStripCols;

// The tile that a thread block processes at a time.
inline constexpr int kStripThreads = 128;
inline constexpr int kBands = kStripThreads / kStripLanes;
inline constexpr int kBandsOfWarp = 32 / kStripLanes;
inline constexpr int kStripTileRows = kBands * kStripRows;

// Order of the tiles: columns that are four tiles wide, from top to bottom. Thread blocks are
// persistent: each keeps its position among the four and moves down without a division. Runs of 8
// scales of four adjacent tiles form a sector, so that the L2 merges them before writing, in either
// direction.
struct StripTiles {
  int down, across;             // in tiles
  int wide;                     // width of a tile column
  int step_down, step_columns;  // step of a thread block
};
struct StripGrid {
  int blocks;
  StripTiles tiles;
};
inline StripGrid strip_grid(Shape shape, int resident) {
  const auto down = static_cast<int>((shape.rows + kStripTileRows - 1) / kStripTileRows);
  const auto across = static_cast<int>((shape.cols + kStripTileCols - 1) / kStripTileCols);
  const int wide = across % 4 == 0 || across > 16 ? 4 : 1;
  const int columns = (across + wide - 1) / wide;
  const auto steps = static_cast<int>(
      std::min(std::int64_t{down} * columns, std::int64_t{std::max(resident / wide, 1)}));
  return {steps * wide, {down, across, wide, steps % down, steps / down}};
}

// Position of this thread's strip in the tile.
__device__ __forceinline__ int band_of_thread() {
  return static_cast<int>(threadIdx.x) / kStripLanes;
}
__device__ __forceinline__ int lane_of_band() {
  return static_cast<int>(threadIdx.x) % kStripLanes;
}

struct StripTile {
  int down, across;

  static __device__ __forceinline__ StripTile first(const StripTiles& tiles) {
    const auto block = static_cast<int>(blockIdx.x);
    const int step = block / tiles.wide;
    return {step % tiles.down, step / tiles.down * tiles.wide + block % tiles.wide};
  }
  __device__ __forceinline__ StripTile next(const StripTiles& tiles) const {
    StripTile t = {down + tiles.step_down, across + tiles.step_columns * tiles.wide};
    if (t.down >= tiles.down) {
      t.down -= tiles.down;
      t.across += tiles.wide;
    }
    return t;
  }
  __device__ __forceinline__ bool exists(const StripTiles& tiles) const {
    return across < tiles.across;
  }
  __device__ __forceinline__ std::int64_t row() const {
    return std::int64_t{down} * kStripTileRows;
  }
  __device__ __forceinline__ std::int64_t col() const {
    return std::int64_t{across} * kStripTileCols;
  }
};

// Rows of eight BF16, stored as words of two columns.
struct Strip {
  uint4 row[kStripRows];

  // The words of column pair `pair` (0 to 3), one for each row i.
  __device__ __forceinline__ std::uint32_t word(int i, int pair) const {
    return pair == 0 ? row[i].x : pair == 1 ? row[i].y : pair == 2 ? row[i].z : row[i].w;
  }

  // `x` points to the strip's first element, 16-byte aligned. Read once, so not kept in L1.
  __device__ __forceinline__ void load(const Bf16* x, std::int64_t cols) {
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
      asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(row[i].x), "=r"(row[i].y), "=r"(row[i].z), "=r"(row[i].w)
                   : "l"(x + i * cols)
                   : "memory");
    }
  }
};

// Larger magnitudes of each half of two words, as 16-bit integers: NaN is above infinity.
__device__ __forceinline__ std::uint32_t max_pairs(std::uint32_t largest, std::uint32_t word) {
  return __vmaxu2(largest, word & 0x7fff7fffu);
}
__device__ __forceinline__ std::uint32_t max_pairs(uint4 v) {
  constexpr std::uint32_t kMagnitudes = 0x7fff7fffu;
  return __vmaxu2(__vmaxu2(v.x & kMagnitudes, v.y & kMagnitudes),
                  __vmaxu2(v.z & kMagnitudes, v.w & kMagnitudes));
}

// {max(halves of a), max(halves of b)}
__device__ __forceinline__ std::uint32_t join_maxima(std::uint32_t a, std::uint32_t b) {
  return __vmaxu2(__byte_perm(a, b, 0x5410), __byte_perm(a, b, 0x7632));
}

// rht16() of arithmetic.cuh on BF16 pairs, without the guard against overflow between the stages.
// If a sum overflows, the result contains an infinity or a NaN. Scaling by 1/4 before rather than
// after changes nothing else: it is exact for BF16, and FP32 rounds alike at every power of two.
__device__ __forceinline__ void fast_rht16(const float (&x)[16], std::uint32_t (&pairs)[8]) {
  float v[16];
  constexpr auto kSign = [](int i) { return (kRhtNegative >> i & 1u) != 0 ? -0.25f : 0.25f; };
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const float b = __fmul_rn(x[i + 1], kSign(i + 1));
    v[i] = __fmaf_rn(x[i], kSign(i), b);
    v[i + 1] = __fmaf_rn(x[i], kSign(i), -b);
  }
#pragma unroll
  for (int half = 2; half < 16; half *= 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if ((i & half) != 0) continue;
      const float a = v[i];
      const float b = v[i + half];
      v[i] = __fadd_rn(a, b);
      v[i + half] = __fsub_rn(a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
    pairs[i] = reinterpret_cast<const std::uint32_t&>(pair);
  }
}

}  // namespace mansard::kernels::nvfp4::device
