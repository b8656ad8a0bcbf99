// SPDX-License-Identifier: Apache-2.0
// Cost of an additional kernel: empty kernels launched one after another into a stream. The slower
// of the launching host and the executing device determines the time.
#include "kernels/ceilings/launch/empty_kernel.cuh"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/device_buffer.h"

namespace mansard::kernels {
namespace {

// Fewer than the queue of a stream holds before the host must wait for the device (1024).
constexpr int kLaunches = 1000;

class LaunchStream : public OverheadCeiling {
 public:
  LaunchStream() : OverheadCeiling("launches", kLaunches) {}

  void launch(void* stream) override { enqueue(nullptr, static_cast<cudaStream_t>(stream)); }
  std::string verify() override {
    DeviceBuffer<unsigned> count(1);
    count.fill_bytes(0);
    enqueue(count.get(), nullptr);
    return count_difference(count.to_host()[0]);
  }

 private:
  void enqueue(unsigned* count, cudaStream_t stream) const {
    repeat("launch an empty kernel", [&] { return launch_empty(count, stream); });
  }
};

}  // namespace

void register_launch_stream(KernelRegistry& registry) {
  registry.add(overhead_spec<LaunchStream>(
      "launch_stream", "Back-to-back kernel launches in a stream", Overhead::kernel_launch));
}

}  // namespace mansard::kernels
