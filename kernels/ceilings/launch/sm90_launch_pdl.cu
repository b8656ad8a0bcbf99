// SPDX-License-Identifier: Apache-2.0
// Cost of an additional kernel that may be set up while the previous one still runs (programmatic
// dependent launch, CC 9.0 and later). Each kernel waits for the previous one before it ends.
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/cuda_objects.h"
#include "kernels/device/device_buffer.h"

namespace mansard::kernels {
namespace {

constexpr int kLaunches = 1000;

// griddepcontrol.wait returns when all previous grids have ended and their stores are visible, so
// the counter needs no atomic, and a launch that did not wait would be detected.
__global__ void dependent_ceiling(unsigned* count) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (count != nullptr) *count += 1;
}

class LaunchPdl : public OverheadCeiling {
 public:
  LaunchPdl() : OverheadCeiling("launches", kLaunches) {}

  void launch(void* stream) override { enqueue(nullptr, static_cast<cudaStream_t>(stream)); }
  std::string verify() override {
    const CudaStream stream;  // a stream as in timed launches, not the default stream
    DeviceBuffer<unsigned> count(1);
    count.fill_bytes(0);
    cuda_check(cudaDeviceSynchronize(), "clear the count of launches");
    enqueue(count.get(), stream.get());
    cuda_check(cudaStreamSynchronize(stream.get()), "run dependent kernels");
    return count_difference(count.to_host()[0]);
  }

 private:
  void enqueue(unsigned* count, cudaStream_t stream) const {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    void* arguments[] = {&count};
    repeat("launch a dependent kernel", [&] {
      return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&dependent_ceiling),
                                 arguments);
    });
  }
};

}  // namespace

void register_sm90_launch_pdl(KernelRegistry& registry) {
  KernelSpec spec = overhead_spec<LaunchPdl>(
      "launch_pdl", "Kernel launch in a stream with programmatic dependent launch (PDL)",
      Overhead::kernel_launch);
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    if (device.compute_capability >= 90) return "";
    return "needs compute capability 9.0 or higher (programmatic dependent launch)";
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
