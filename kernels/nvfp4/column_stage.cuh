// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/nvfp4/quantize_arguments.h"
#include "kernels/nvfp4/strip.cuh"

namespace mansard::nvfp4::device {

// Codes and scales of the tile's columns, those of one column of every strip together: the lanes of
// a band, whose columns are a strip apart, then store to neighbouring places, and what leaves,
// whole columns of neighbours, lies a few banks apart.
struct ColumnStage {
  static constexpr int kLane = kBands + 1;
  static constexpr int kColumn = kStripLanes * kLane + kBands;
  uint2 codes[kStripCols * kColumn];
  uint2 scales[kBands][kStripLanes];  // of the eight columns of each thread of a band

  static __device__ __forceinline__ int place(int lane, int column) {
    return column * kColumn + lane * kLane;
  }

  __device__ __forceinline__ void write(const QuantizeArguments& a, std::int64_t row,
                                        std::int64_t col) const {
    const std::int64_t blocks = (a.shape.rows + 15) / 16;
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int kStep = kStripThreads / kBands;  // columns at a time
    static_assert(kStep % kStripCols == 0);
    const int column = thread / kBands;
    const uint2* from = codes + place(column / kStripCols, column % kStripCols) + thread % kBands;
    auto* to = reinterpret_cast<uint2*>(a.out_t.codes) + (col + column) * blocks + row / 16 +
               thread % kBands;
    const std::int64_t step = kStep * blocks;
#pragma unroll
    for (int i = 0; i < kStripTileCols / kStep; ++i) {
      *to = from[i * (kStep / kStripCols) * kLane];
      to += step;
    }
    write_scales(a, col + thread, row / 16, blocks);
  }

 private:
  // Of one column for each thread.
  __device__ __forceinline__ void write_scales(const QuantizeArguments& a, std::int64_t col,
                                               std::int64_t block, std::int64_t blocks) const {
    static_assert(kStripTileCols == kStripThreads && kBands == 8);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(scales) + threadIdx.x;
    std::uint32_t words[2] = {0u, 0u};
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
      words[b / 4] |= std::uint32_t{bytes[b * kStripTileCols]} << (b % 4 * 8);
    }
    std::uint8_t* const target = a.out_t.scales + scale_index(a.layout, blocks, col, block);
    if (a.layout == ScaleLayout::tiled) {  // tiles of four blocks
      *reinterpret_cast<std::uint32_t*>(target) = words[0];
      *reinterpret_cast<std::uint32_t*>(target + 512) = words[1];
    } else if (blocks % kBands == 0) {
      *reinterpret_cast<uint2*>(target) = make_uint2(words[0], words[1]);
    } else {
#pragma unroll
      for (int b = 0; b < kBands; ++b) {
        target[b] = static_cast<std::uint8_t>(words[b / 4] >> (b % 4 * 8));
      }
    }
  }
};

}  // namespace mansard::nvfp4::device
