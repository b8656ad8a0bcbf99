// SPDX-License-Identifier: Apache-2.0
// Cost of waiting for the device: repeatedly launches an empty kernel into an idle stream and waits
// for it. One operation comprises the launch, the way to the device and back, and the wait; the
// host can only measure their sum.
#pragma once

#include "kernels/ceilings/launch/empty_kernel.cuh"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/pinned_buffer.h"

namespace mansard::kernels {

// `Wait` is a struct with `static cudaError_t wait(cudaStream_t)`.
template <typename Wait>
class SynchronizeCeiling : public OverheadCeiling {
 public:
  SynchronizeCeiling() : OverheadCeiling("waits", 200) {}

  void launch(void* stream) override {
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    repeat("launch an empty kernel and wait for it",
           [&] { return launch_and_wait(nullptr, cuda_stream); });
  }

  // The host checks the counter after every wait, so that a wait that returns too early is
  // detected.
  std::string verify() override {
    const PinnedBuffer<unsigned> count(1);
    volatile unsigned* const seen = count.get();
    *seen = 0;
    unsigned* const on_device = count.on_device();
    for (int i = 0; i < operations(); ++i) {
      cuda_check(launch_and_wait(on_device, nullptr), "launch an empty kernel and wait for it");
      if (*seen != static_cast<unsigned>(i + 1)) return count_difference(*seen);
    }
    return "";
  }

 private:
  static cudaError_t launch_and_wait(unsigned* count, cudaStream_t stream) {
    const cudaError_t status = launch_empty(count, stream);
    return status == cudaSuccess ? Wait::wait(stream) : status;
  }
};

}  // namespace mansard::kernels
