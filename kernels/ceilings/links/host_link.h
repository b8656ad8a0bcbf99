// SPDX-License-Identifier: Apache-2.0
// Common parts of the ceilings of the link between host and device.
#pragma once

#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/device/pcie_link.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

// Peak of one direction between device and host; 0: unknown.
inline double host_link_bytes_per_s(const DeviceInfo& device) {
  char bus_id[32] = "";
  if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device.ordinal) != cudaSuccess) {
    cudaGetLastError();  // no driver or no such device: unknown
    return 0;
  }
  return pcie_path_bytes_per_s(pci_folder(bus_id));
}

inline KernelSpec host_link_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::pcie;
  spec.unsupported = [](const DeviceInfo&) -> std::string { return ""; };
  spec.peak_per_s = host_link_bytes_per_s;
  return spec;
}

}  // namespace mansard::kernels
