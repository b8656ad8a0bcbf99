// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/copy_latency.h"

namespace mansard::kernels {

void register_memcpy_latency_d2d(KernelRegistry& registry) {
  registry.add(overhead_spec<CopyLatency<cudaMemcpyDeviceToDevice>>(
      "memcpy_latency_d2d", "Copy of four bytes from the device to itself, plus the wait for it",
      Overhead::copy));
}

}  // namespace mansard::kernels
