// SPDX-License-Identifier: Apache-2.0
// The CUDA cores' FP32 ceiling: independent chains of fused multiply-adds in registers.
#include <cmath>
#include <sstream>

#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard {
namespace {

constexpr int kThreads = 512;
constexpr int kMinBlocksPerSm = 3;  // CC 12.0 has room for 1536 threads an SM, the others for 2048
constexpr int kChains = 8;  // independent FMAs a thread: 64 warps x 8 cover the latency of 4
constexpr int kUnroll = 16;
constexpr int kIterations = 2048;

// x <- x * scale + offset stays bounded for |scale| < 1, so the result can be checked to the bit.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    fp32_fma_ceiling(const float* start, float* result, float scale, float offset, int iterations,
                     SmSpan* spans) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = start[thread] + static_cast<float>(c);
  __syncthreads();
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int it = 0; it < iterations; ++it) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) x[c] = fmaf(x[c], scale, offset);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += x[c];
  result[thread] = sum;
}

class Fp32Fma : public PreparedKernel {
 public:
  explicit Fp32Fma(const DeviceInfo& device)
      : blocks_(device.units * resident_blocks_per_sm(fp32_fma_ceiling, kThreads)),
        spans_(blocks_),
        result_(threads()) {
    std::vector<float> start(threads());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 1021) / 1021;
    start_ = DeviceBuffer<float>(start);
  }

  Work work() const override {
    Work w;
    w.flop = 2.0 * kChains * kUnroll * kIterations * static_cast<double>(threads());
    return w;
  }

  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = 5;
    result_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    const std::vector<float> got = result_.to_host();
    const std::vector<float> start = start_.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
      float sum = 0;
      for (int c = 0; c < kChains; ++c) {
        float x = start[i] + static_cast<float>(c);
        for (int n = 0; n < kChecked * kUnroll; ++n) x = std::fmaf(x, kScale, kOffset);
        sum += x;
      }
      if (!(got[i] == sum)) {
        std::ostringstream text;
        text << "thread " << i << " computed " << got[i] << ", expected " << sum;
        return text.str();
      }
    }
    return "";
  }

  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"blocks", std::to_string(blocks_)},
            {"threads_per_block", std::to_string(kThreads)},
            {"chains_per_thread", std::to_string(kChains)}};
  }

 private:
  static constexpr float kScale = 0.999f;
  static constexpr float kOffset = 0.0007f;

  std::size_t threads() const { return static_cast<std::size_t>(blocks_) * kThreads; }
  void enqueue(int iterations, cudaStream_t stream) {
    fp32_fma_ceiling<<<blocks_, kThreads, 0, stream>>>(start_.get(), result_.get(), kScale, kOffset,
                                                       iterations, spans_.get());
    cuda_check(cudaGetLastError(), "launch the FP32 FMA ceiling");
  }

  int blocks_;
  SpanBuffer spans_;
  DeviceBuffer<float> start_;
  DeviceBuffer<float> result_;
};

}  // namespace

void register_fp32_fma(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "fma_fp32";
  spec.summary = "FP32 fused multiply-add on the CUDA cores";
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Precision::fp32;
  spec.fixed_data = "fractions in [0, 8)";
  spec.sustained = true;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  // FP32 lanes of an SM: 64 on CC 8.0, 128 on every later one (CUDA C++ Programming Guide,
  // "Throughput of Native Arithmetic Instructions").
  spec.peak_per_clock = [](const DeviceInfo& device) {
    return device.compute_capability == 80 ? 128.0 : 256.0;
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<Fp32Fma>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
