// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/copy_latency.h"

namespace mansard::kernels {

void register_memcpy_latency_d2h(KernelRegistry& registry) {
  registry.add(overhead_spec<CopyLatency<cudaMemcpyDeviceToHost>>(
      "memcpy_latency_d2h", "4-byte device-to-host copy and synchronization", Overhead::copy));
}

}  // namespace mansard::kernels
