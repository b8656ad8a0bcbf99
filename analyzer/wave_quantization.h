// SPDX-License-Identifier: Apache-2.0
// Wave quantization: the number of waves of a launch and the tail effect of its last, partial wave.
#pragma once

#include <optional>

#include "collector/store/tables.h"

namespace mansard::analysis {

struct Waves {
  int blocks_per_sm = 0;  // occupancy limit from threads, registers and shared memory
  double waves = 0;       // blocks / (blocks_per_sm * SMs)
  // Tail effect as a share of the launch's time: 1 - waves / ceil(waves), if all blocks take the
  // same time. Persistent kernels (work stealing, or one block per SM) do not have it.
  double tail_share = 0;
};

// Empty if properties of the GPU or the launch are unknown, or no block fits on an SM. SM limits
// and allocation rules: cuda_occupancy.h of CUDA 13.0. Registers are allocated per warp in units of
// 256, shared memory in units of 128 bytes plus 1 KiB per block for the system (from 8.0).
std::optional<Waves> waves_of(const store::KernelRecord& kernel, const store::GpuRecord& gpu);

}  // namespace mansard::analysis
