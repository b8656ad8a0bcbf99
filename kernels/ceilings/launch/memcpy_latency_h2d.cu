// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/copy_latency.h"

namespace mansard::kernels {

void register_memcpy_latency_h2d(KernelRegistry& registry) {
  registry.add(overhead_spec<CopyLatency<cudaMemcpyHostToDevice>>(
      "memcpy_latency_h2d", "4-byte host-to-device copy and synchronization", Overhead::copy));
}

}  // namespace mansard::kernels
