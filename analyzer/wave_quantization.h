// SPDX-License-Identifier: Apache-2.0
// How many waves of blocks a launch is, and what its last, partly filled wave may cost.
#pragma once

#include <optional>

#include "collector/store/tables.h"

namespace mansard::analysis {

struct Waves {
  int blocks_per_sm = 0;  // that fit at once, by threads, registers and shared memory
  double waves = 0;       // blocks of the launch over those that the whole GPU holds at once
  // Of the launch's time, if all blocks take the same: 1 - waves / ceil(waves). Blocks that steal
  // work from each other, or are as many as SMs, have no tail of this kind.
  double tail_share = 0;
};

// Empty when the GPU or the launch is not known well enough, or the launch fits nowhere.
// Limits of an SM: cuda_occupancy.h of CUDA 13.0, which also says how they are counted; registers
// are allocated by 256 a warp, shared memory by 128 bytes after the 1 KiB that the system keeps of
// each block (8.0 on).
std::optional<Waves> waves_of(const store::KernelRecord& kernel, const store::GpuRecord& gpu);

}  // namespace mansard::analysis
