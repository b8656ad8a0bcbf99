// SPDX-License-Identifier: Apache-2.0
// How much device memory the streaming ceilings move in a launch, and what they need for it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "kernels/device/memory_peak.h"
#include "kernels/kernel.h"

namespace mansard::kernels::stream {

// About 1 ms on an H200, so that starting and ending a grid weighs little, and far beyond twice the
// largest L2 (126 MB): each launch finds nothing of the one before it.
inline constexpr std::int64_t kLaunchBytes = std::int64_t{4} << 30;

// A power of two, so that every tile is whole and no byte is left out.
constexpr std::int64_t array_bytes(int arrays) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(kLaunchBytes / arrays)));
}

// All that a ceiling of device memory has in common with the others.
inline KernelSpec device_memory_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::hbm;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.memory_bytes >= 1.5 * kLaunchBytes ? "" : "needs 6 GiB of device memory";
  };
  spec.peak_per_s = device_memory_peak_bytes_per_s;
  return spec;
}

}  // namespace mansard::kernels::stream
