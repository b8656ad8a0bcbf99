// SPDX-License-Identifier: Apache-2.0
// Properties of a device that kernels depend on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mansard::kernels {

enum class Target { host, cuda };

struct DeviceInfo {
  Target target = Target::host;
  int ordinal = 0;             // CUDA device index; 0 for the host
  std::string name;            // "NVIDIA H200", or the CPU's model name
  std::string uuid;            // "GPU-..."; the machine name for the host
  int compute_capability = 0;  // 10 * major + minor; 0 for the host
  int units = 0;               // SMs, or cores available to this process
  double boost_clock_hz = 0;   // 0: unknown
  double memory_clock_hz = 0;  // 0: unknown
  int memory_bus_bits = 0;     // 0: unknown
  double memory_bytes = 0;
  // Capacity of one cache as seen by one core or SM, and the number of such caches on the device.
  double l1_bytes = 0;
  double l2_bytes = 0;
  double l3_bytes = 0;
  int l1_count = 0;
  int l2_count = 0;
  int l3_count = 0;
  std::string instruction_set;  // host: widest FMA set in use ("AVX-512"); CUDA: "sm_90"
};

// The CPU as available to this process. Throws std::runtime_error if its topology cannot be read.
DeviceInfo host_device();

// All CUDA devices available to this process; empty without a driver or in a build without CUDA.
std::vector<DeviceInfo> cuda_devices();

// The reason why cuda_devices() is empty ("no NVIDIA driver: ..."); empty if it is not.
std::string cuda_unavailable_reason();

}  // namespace mansard::kernels
