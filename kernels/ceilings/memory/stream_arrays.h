// SPDX-License-Identifier: Apache-2.0
// Array sizes of the streaming ceilings, and the device memory that they require.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "kernels/device/memory_peak.h"
#include "kernels/kernel.h"

namespace mansard::kernels::stream {

// About 1 ms on an H200, so that the start and end of a grid are negligible, and more than twice
// the largest L2 (126 MB), so that a launch finds no data of the previous one.
inline constexpr std::int64_t kLaunchBytes = std::int64_t{4} << 30;

// A power of two, so that all tiles are whole.
constexpr std::int64_t array_bytes(int arrays) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(kLaunchBytes / arrays)));
}

// Fields of the spec that all ceilings of device memory share.
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
