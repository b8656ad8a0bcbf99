// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device_info.h"

namespace mansard::kernels {

// Peak bandwidth of device memory from its attributes (cudaDevAttrMemoryClockRate,
// cudaDevAttrGlobalMemoryBusWidth): two transfers per clock on every pin of the bus. For an H200,
// 3.201 GHz and 6144 bits give 4.917 TB/s, while its datasheet states 4.8. 0: unknown.
inline double device_memory_peak_bytes_per_s(const DeviceInfo& device) {
  return 2.0 * device.memory_clock_hz * device.memory_bus_bits / 8;
}

}  // namespace mansard::kernels
