// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/nvfp4/device/strip.cuh"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::nvfp4::device {

// Staged scales of a tile in one direction: eight for each of 128 lines, which are rows of x or
// x^T. They are stored as whole runs, because stores of single bytes would cost the L2 as much as
// the codes.
struct ScaleStage {
  static_assert(kStripTileCols == 128 && kStripTileRows == 128 && kStripThreads == 128);
  static constexpr int kPerLine = 8;
  uint2 lines[128];

  // Lines eight apart are adjacent, so that the threads of a band store to adjacent places in
  // either direction.
  static __device__ __forceinline__ int place(int line) { return line % 8 * 16 + line / 8; }

  __device__ __forceinline__ void put(int line, int block, std::uint32_t scale) {
    reinterpret_cast<std::uint8_t*>(lines + place(line))[block] = static_cast<std::uint8_t>(scale);
  }

  // `line` and `block` are the first line and block of the tile; `blocks` is the number of blocks
  // per line of the matrix. Called by all threads.
  __device__ __forceinline__ void write(std::uint8_t* scales, ScaleLayout layout,
                                        std::int64_t blocks, std::int64_t line,
                                        std::int64_t block) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (layout == ScaleLayout::linear) {
      const uint2 eight = lines[place(thread)];
      std::uint8_t* const target = scales + (line + thread) * blocks + block;
      if (blocks % kPerLine == 0) {
        *reinterpret_cast<uint2*>(target) = eight;
      } else {
#pragma unroll
        for (int i = 0; i < kPerLine; ++i) {
          target[i] = static_cast<std::uint8_t>((i < 4 ? eight.x : eight.y) >> (i % 4 * 8));
        }
      }
      return;
    }
    // Two scale tiles of 512 bytes: four lines, 32 apart, are 16 bytes of each tile.
    if (thread >= 64) return;
    const int tile = thread / 32;
    std::uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      words[i] = reinterpret_cast<const std::uint32_t*>(lines + place(thread % 32 + 32 * i))[tile];
    }
    auto* const target =
        reinterpret_cast<uint4*>(scales + scale_index(layout, blocks, line, block + 4 * tile));
    __stcs(target + thread % 32, make_uint4(words[0], words[1], words[2], words[3]));
  }
};

}  // namespace mansard::kernels::nvfp4::device
