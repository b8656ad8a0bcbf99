// SPDX-License-Identifier: Apache-2.0
// Device memory's ceiling for traffic that is half reading, half writing: b = a.
#include "kernels/device/device_buffer.h"
#include "kernels/kernel.h"
#include "kernels/memory/vector_stream.cuh"

namespace mansard {
namespace {

__global__ void __launch_bounds__(stream::kThreads)
    hbm_copy_ceiling(const float4* __restrict__ a, float4* __restrict__ b) {
  const std::int64_t i = stream::vector_index();
  __stcs(b + i, __ldcs(a + i));
}

__global__ void count_copy_errors(const float* b, std::int64_t count, unsigned long long* errors) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    if (!(b[i] == stream::pattern(i, 1))) atomicAdd(errors, 1ull);
  }
}

class HbmCopy : public PreparedKernel {
 public:
  HbmCopy() { stream::fill_pattern<><<<4096, 256>>>(a_.get(), kCount, 1); }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = 2.0 * stream::kArrayBytes;
    return w;
  }
  void launch(void* cuda_stream) override {
    hbm_copy_ceiling<<<stream::kBlocks, stream::kThreads, 0,
                       static_cast<cudaStream_t>(cuda_stream)>>>(
        reinterpret_cast<const float4*>(a_.get()), reinterpret_cast<float4*>(b_.get()));
    cuda_check(cudaGetLastError(), "launch the copy ceiling");
  }
  std::string verify() override {
    b_.fill_bytes(0xff);
    launch(nullptr);
    DeviceBuffer<unsigned long long> errors(1);
    errors.fill_bytes(0);
    count_copy_errors<<<4096, 256>>>(b_.get(), kCount, errors.get());
    const unsigned long long wrong = errors.to_host()[0];
    return wrong == 0 ? "" : std::to_string(wrong) + " of the copied values are wrong";
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"array_bytes", std::to_string(stream::kArrayBytes)},
            {"bytes_per_thread", "16"},
            {"threads_per_block", std::to_string(stream::kThreads)}};
  }

 private:
  static constexpr std::int64_t kCount = stream::kArrayBytes / 4;
  DeviceBuffer<float> a_{kCount};
  DeviceBuffer<float> b_{kCount};
};

}  // namespace

void register_hbm_copy(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "hbm_copy";
  spec.summary = "Device memory, b = a: bytes read plus bytes written";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::hbm;
  spec.fixed_data = "hashed fractions";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    if (device.memory_bytes >= 4.0 * stream::kArrayBytes) return "";
    return "needs 4 GiB of device memory";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<HbmCopy>();
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
