// SPDX-License-Identifier: Apache-2.0
// Cost of an additional kernel inside a CUDA graph: a chain of empty kernels, launched as a whole.
// The host's share is spread over all kernels, so this is the device's own time from one kernel to
// the next.
#include "kernels/ceilings/launch/empty_kernel.cuh"
#include "kernels/ceilings/launch/kernel_chain.h"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/device_buffer.h"

namespace mansard::kernels {
namespace {

constexpr int kNodes = 2000;

const void* kernel() { return reinterpret_cast<const void*>(&empty_ceiling<>); }

class LaunchGraph : public OverheadCeiling {
 public:
  LaunchGraph() : OverheadCeiling("nodes", kNodes) {}

  void launch(void* stream) override {
    cuda_check(chain_.launch(static_cast<cudaStream_t>(stream)), "launch a graph");
  }
  std::string verify() override {
    DeviceBuffer<unsigned> count(1);
    count.fill_bytes(0);
    const KernelChain counting(kernel(), kNodes, count.get());
    cuda_check(counting.launch(nullptr), "launch a graph");
    return count_difference(count.to_host()[0]);
  }

 private:
  KernelChain chain_{kernel(), kNodes, nullptr};
};

}  // namespace

void register_launch_graph(KernelRegistry& registry) {
  registry.add(overhead_spec<LaunchGraph>("launch_graph",
                                          "Kernel in a chain of dependent kernels in a CUDA graph",
                                          Overhead::kernel_launch));
}

}  // namespace mansard::kernels
