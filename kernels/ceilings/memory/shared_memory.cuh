// SPDX-License-Identifier: Apache-2.0
// Common parts of the shared-memory ceilings: the spec, and a buffer divided into slots, each as
// long as the data that one warp instruction moves.
#pragma once

#include <random>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels::shared_memory {

inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kSlotBytes = 32 * 16;
inline constexpr int kSlotWords = kSlotBytes / 4;
inline constexpr int kSlots = 64;  // 32 KiB: an SM of CC 9.0 holds six blocks, one of CC 8.6 three
inline constexpr int kWords = kSlots * kSlotWords;
inline constexpr int kInstructionCycles = kSlotBytes / 128;
inline constexpr double kLaunchCycles = 3e6;  // about 1.5 ms

// As many thread blocks as fit with the largest shared-memory carveout.
template <typename Kernel>
int resident_blocks(Kernel kernel) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "request the largest shared-memory carveout");
  return resident_blocks_per_sm(kernel, kThreads);
}

// Loop iterations that each move `slots` slots per warp.
inline int iterations(int blocks_per_sm, int slots) {
  return static_cast<int>(kLaunchCycles / (blocks_per_sm * kWarps * slots * kInstructionCycles));
}

inline std::vector<std::uint32_t> random_words(std::size_t count) {
  std::mt19937 engine(std::random_device{}());
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& w : words) w = engine();
  return words;
}

template <typename Prepared>
KernelSpec shared_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::shared;
  spec.fixed_pattern = "random integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  // 32 banks of 4 bytes per clock (CUDA C++ Programming Guide, "Shared Memory", CC 5.0 and later).
  spec.peak_per_clock = [](const DeviceInfo&) { return 128.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<Prepared>(device);
  };
  return spec;
}

}  // namespace mansard::kernels::shared_memory
