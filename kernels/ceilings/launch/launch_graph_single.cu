// SPDX-License-Identifier: Apache-2.0
// Cost of launching a graph: repeated launches of a graph with one empty kernel.
#include "kernels/ceilings/launch/empty_kernel.cuh"
#include "kernels/ceilings/launch/kernel_chain.h"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/device_buffer.h"

namespace mansard::kernels {
namespace {

constexpr int kLaunches = 1000;

const void* kernel() { return reinterpret_cast<const void*>(&empty_ceiling<>); }

class LaunchGraphSingle : public OverheadCeiling {
 public:
  LaunchGraphSingle() : OverheadCeiling("launches", kLaunches) {}

  void launch(void* stream) override { enqueue(graph_, static_cast<cudaStream_t>(stream)); }
  std::string verify() override {
    DeviceBuffer<unsigned> count(1);
    count.fill_bytes(0);
    const KernelChain counting(kernel(), 1, count.get());
    enqueue(counting, nullptr);
    return count_difference(count.to_host()[0]);
  }

 private:
  void enqueue(const KernelChain& graph, cudaStream_t stream) const {
    repeat("launch a graph", [&] { return graph.launch(stream); });
  }

  KernelChain graph_{kernel(), 1, nullptr};
};

}  // namespace

void register_launch_graph_single(KernelRegistry& registry) {
  registry.add(overhead_spec<LaunchGraphSingle>("launch_graph_single",
                                                "Launch of a CUDA graph with a single kernel",
                                                Overhead::kernel_launch));
}

}  // namespace mansard::kernels
