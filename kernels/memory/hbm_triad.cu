// SPDX-License-Identifier: Apache-2.0
// Device memory's ceiling for two streams read and one written: a = b + s * c, as STREAM counts it.
#include "kernels/device/device_buffer.h"
#include "kernels/kernel.h"
#include "kernels/memory/vector_stream.cuh"

namespace mansard {
namespace {

constexpr float kScale = 0.5f;  // a power of two: the sum of two patterns stays exact

__global__ void __launch_bounds__(stream::kThreads)
    hbm_triad_ceiling(float4* __restrict__ a, const float4* __restrict__ b,
                      const float4* __restrict__ c) {
  const std::int64_t i = stream::vector_index();
  const float4 u = __ldcs(b + i);
  const float4 v = __ldcs(c + i);
  float4 sum;
  sum.x = fmaf(kScale, v.x, u.x);
  sum.y = fmaf(kScale, v.y, u.y);
  sum.z = fmaf(kScale, v.z, u.z);
  sum.w = fmaf(kScale, v.w, u.w);
  __stcs(a + i, sum);
}

__global__ void count_triad_errors(const float* a, std::int64_t count, unsigned long long* errors) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const float expected = stream::pattern(i, 1) + kScale * stream::pattern(i, 2);
    if (!(a[i] == expected)) atomicAdd(errors, 1ull);
  }
}

class HbmTriad : public PreparedKernel {
 public:
  HbmTriad() {
    stream::fill_pattern<><<<4096, 256>>>(b_.get(), kCount, 1);
    stream::fill_pattern<><<<4096, 256>>>(c_.get(), kCount, 2);
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = 3.0 * stream::kArrayBytes;
    w.flop = 2.0 * kCount;
    return w;
  }
  void launch(void* cuda_stream) override {
    hbm_triad_ceiling<<<stream::kBlocks, stream::kThreads, 0,
                        static_cast<cudaStream_t>(cuda_stream)>>>(
        reinterpret_cast<float4*>(a_.get()), reinterpret_cast<const float4*>(b_.get()),
        reinterpret_cast<const float4*>(c_.get()));
    cuda_check(cudaGetLastError(), "launch the triad ceiling");
  }
  std::string verify() override {
    a_.fill_bytes(0xff);
    launch(nullptr);
    DeviceBuffer<unsigned long long> errors(1);
    errors.fill_bytes(0);
    count_triad_errors<<<4096, 256>>>(a_.get(), kCount, errors.get());
    const unsigned long long wrong = errors.to_host()[0];
    return wrong == 0 ? "" : std::to_string(wrong) + " of the sums are wrong";
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
  DeviceBuffer<float> c_{kCount};
};

}  // namespace

void register_hbm_triad(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "hbm_triad";
  spec.summary = "Device memory, a = b + s * c: bytes read plus bytes written";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::hbm;
  spec.fixed_data = "hashed fractions";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    if (device.memory_bytes >= 6.0 * stream::kArrayBytes) return "";
    return "needs 6 GiB of device memory";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<HbmTriad>();
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
