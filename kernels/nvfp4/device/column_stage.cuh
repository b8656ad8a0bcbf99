// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/nvfp4/device/quantize_arguments.h"
#include "kernels/nvfp4/device/scale_stage.cuh"

namespace mansard::kernels::nvfp4::device {

// Staged codes and scales of the tile's columns, grouped by column index within a strip. The lanes
// of a band, whose columns are a strip apart, then store to adjacent places, and the whole columns
// that leave are a few banks apart.
struct ColumnStage {
  static constexpr int kLane = kBands + 1;
  static constexpr int kColumn = kStripLanes * kLane + kBands;
  uint2 codes[kStripCols * kColumn];
  ScaleStage scales;

  static __device__ __forceinline__ int place(int lane, int column) {
    return column * kColumn + lane * kLane;
  }

  __device__ __forceinline__ void write(const QuantizeArguments& a, std::int64_t row,
                                        std::int64_t col) const {
    const std::int64_t blocks = (a.shape.rows + 15) / 16;
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int kStep = kStripThreads / kBands;  // columns per iteration
    static_assert(kStep % kStripCols == 0);
    const int column = thread / kBands;
    const uint2* from = codes + place(column / kStripCols, column % kStripCols) + thread % kBands;
    auto* to = reinterpret_cast<uint2*>(a.out_t.codes) + (col + column) * blocks + row / 16 +
               thread % kBands;
    const std::int64_t step = kStep * blocks;
#pragma unroll
    for (int i = 0; i < kStripTileCols / kStep; ++i) {
      __stcs(to, from[i * (kStep / kStripCols) * kLane]);
      to += step;
    }
    scales.write(a.out_t.scales, a.layout, blocks, col, row / 16);
  }
};

}  // namespace mansard::kernels::nvfp4::device
