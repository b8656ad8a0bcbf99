// SPDX-License-Identifier: Apache-2.0
// What one more kernel costs: tiny kernels launched one after another into a stream. The host's
// time counts, so this is measured from the first launch to the end of the last.
#include "kernels/device/device_buffer.h"
#include "kernels/kernel.h"

namespace mansard {
namespace {

constexpr int kLaunches = 1000;

__global__ void tiny_kernel(unsigned* count) { *count += 1; }

class LaunchStream : public PreparedKernel {
 public:
  LaunchStream() { count_.fill_bytes(0); }

  Work work() const override {
    Work w;
    w.operations = kLaunches;
    return w;
  }
  void launch(void* stream) override {
    for (int i = 0; i < kLaunches; ++i) {
      tiny_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(count_.get());
    }
    cuda_check(cudaGetLastError(), "launch tiny kernels");
  }
  std::string verify() override {
    count_.fill_bytes(0);
    launch(nullptr);
    const unsigned ran = count_.to_host()[0];
    if (ran == kLaunches) return "";
    return std::to_string(ran) + " of " + std::to_string(kLaunches) + " launches ran";
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"launches", std::to_string(kLaunches)}, {"grid", "1"}, {"block", "1"}};
  }

 private:
  DeviceBuffer<unsigned> count_{1};
};

}  // namespace

void register_launch_stream(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "launch_stream";
  spec.summary = "One kernel launch in a stream, back to back";
  spec.role = KernelRole::overhead_ceiling;
  spec.overhead = Overhead::kernel_launch;
  spec.unsupported = [](const DeviceInfo&) -> std::string { return ""; };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<LaunchStream>();
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
