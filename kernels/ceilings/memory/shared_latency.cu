// SPDX-License-Identifier: Apache-2.0
// Latency of one dependent load from shared memory: one thread follows a random cycle through 32
// KiB, in which each word holds the address of the next.
#include <random>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kWords = 8192;
constexpr int kLoads = 65536;  // about 1 ms at 30 cycles
constexpr int kUnroll = 16;    // loads per check of the counter, which they hide

// `next` holds offsets in bytes; `end` receives the offset at which the last load ended.
__global__ void __launch_bounds__(kThreads)
    shared_latency_ceiling(const std::uint32_t* next, std::uint32_t start, int loads,
                           std::uint32_t* end, SmSpan* span_of_block) {
  __shared__ std::uint32_t cycle[kWords];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(cycle));
  for (std::uint32_t i = threadIdx.x; i < kWords; i += kThreads) cycle[i] = base + next[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t p = base + start;
  SmSpan span{};
  span_begin(span);
  for (int n = 0; n < loads; n += kUnroll) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    }
  }
  // Volatile, like the clock: it waits for the last load, and the clock waits for it.
  *static_cast<volatile std::uint32_t*>(end) = p - base;
  span_end(span);
  *span_of_block = span;
}

class SharedLatency : public PreparedKernel {
 public:
  SharedLatency() { draw(); }

  Work work() const override {
    Work w;
    w.operations = kLoads;
    return w;
  }
  void launch(void* stream) override { enqueue(0, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    draw();
    end_.fill_bytes(0xff);
    const std::uint32_t start = std::random_device{}() % kWords * 4;
    enqueue(start, nullptr);
    std::uint32_t expected = start;
    for (int n = 0; n < kLoads; ++n) expected = next_[expected / 4];
    const std::uint32_t got = end_.to_host()[0];
    if (got == expected) return "";
    return std::to_string(kLoads) + " loads from byte " + std::to_string(start) +
           " ended on byte " + std::to_string(got) + ", expected " + std::to_string(expected);
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes", std::to_string(4 * kWords)}, {"loads", std::to_string(kLoads)}};
  }

 private:
  // One random cycle through all words (Sattolo's algorithm).
  void draw() {
    next_.resize(kWords);
    for (std::uint32_t i = 0; i < kWords; ++i) next_[i] = 4 * i;
    std::mt19937 engine(std::random_device{}());
    for (std::uint32_t i = kWords - 1; i > 0; --i) {
      std::swap(next_[i], next_[std::uniform_int_distribution<std::uint32_t>(0, i - 1)(engine)]);
    }
    next_on_device_ = DeviceBuffer<std::uint32_t>(next_);
  }
  void enqueue(std::uint32_t start, cudaStream_t stream) {
    shared_latency_ceiling<<<1, kThreads, 0, stream>>>(next_on_device_.get(), start, kLoads,
                                                       end_.get(), spans_.get());
    cuda_check(cudaGetLastError(), "launch the shared memory latency chase");
  }

  std::vector<std::uint32_t> next_;
  DeviceBuffer<std::uint32_t> next_on_device_;
  DeviceBuffer<std::uint32_t> end_{1};
  SpanBuffer spans_{1};
};

}  // namespace

void register_shared_latency(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "shared_latency";
  spec.summary = "Latency of dependent loads from shared memory";
  spec.role = KernelRole::latency_ceiling;
  spec.level = MemoryLevel::shared;
  spec.fixed_pattern = "random cycle";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<SharedLatency>();
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
