// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/nvfp4/device/strip.cuh"

namespace mansard::kernels::nvfp4::device {

// A tile of x in shared memory, loaded asynchronously. Every thread loads only the elements that it
// reads itself (16 rows of eight columns), so that no thread waits for another. It also allows
// loops over rows and columns, which registers do not: unrolled, the code exceeds the instruction
// cache.
struct StripStage {
  uint4 words[kBands][kStripRows][kStripLanes];

  __device__ __forceinline__ uint4& row(int i) {
    return words[band_of_thread()][i][lane_of_band()];
  }
  // Columns 2 * pair and 2 * pair + 1 of row i. Each group of eight lanes in a warp should use a
  // different pair to avoid bank conflicts.
  __device__ __forceinline__ std::uint32_t word(int i, int pair) {
    return reinterpret_cast<const std::uint32_t*>(&row(i))[pair];
  }
  __device__ __forceinline__ void fetch(int i, const Bf16* x) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(&row(i)))),
                 "l"(x)
                 : "memory");
  }
  static __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
};

// The strip of the next tile; nothing is fetched if `x` is nullptr.
struct NextStrip {
  const Bf16* x;
  std::int64_t cols;

  __device__ __forceinline__ void fetch_all(StripStage& stage) const {
    if (x == nullptr) return;
    const Bf16* row = x;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
      stage.fetch(i, row);
      row += cols;
    }
  }
};

}  // namespace mansard::kernels::nvfp4::device
