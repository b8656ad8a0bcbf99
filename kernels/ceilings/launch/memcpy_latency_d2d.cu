// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/copy_latency.h"

namespace mansard::kernels {

void register_memcpy_latency_d2d(KernelRegistry& registry) {
  registry.add(overhead_spec<CopyLatency<cudaMemcpyDeviceToDevice>>(
      "memcpy_latency_d2d", "4-byte device-to-device copy and synchronization", Overhead::copy));
}

}  // namespace mansard::kernels
