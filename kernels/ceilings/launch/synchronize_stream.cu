// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/launch/synchronize_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct StreamWait {
  static cudaError_t wait(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
};

}  // namespace

void register_synchronize_stream(KernelRegistry& registry) {
  registry.add(overhead_spec<SynchronizeCeiling<StreamWait>>(
      "synchronize_stream", "Empty kernel launch and cudaStreamSynchronize",
      Overhead::synchronize));
}

}  // namespace mansard::kernels
