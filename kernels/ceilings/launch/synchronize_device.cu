// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/synchronize_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct DeviceWait {
  static cudaError_t wait(cudaStream_t) { return cudaDeviceSynchronize(); }
};

}  // namespace

void register_synchronize_device(KernelRegistry& registry) {
  registry.add(overhead_spec<SynchronizeCeiling<DeviceWait>>(
      "synchronize_device", "Empty kernel launch and cudaDeviceSynchronize",
      Overhead::synchronize));
}

}  // namespace mansard::kernels
