// SPDX-License-Identifier: Apache-2.0
// Kernels of a fixed duration, back to back in a stream. The duration is controlled by the GPU's
// global timer, so that clocks do not matter.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>

namespace mansard {

struct FixedKernel {
  int duration_us;
  std::size_t written_mib;  // written at the end; the kernel's end timestamp must wait for it
  int times;
};

[[noreturn]] inline void fail(const std::string& what, int code = 1) {
  std::fprintf(stderr, "tracing_cost: %s\n", what.c_str());
  std::exit(code);
}

inline void check(cudaError_t result, const std::string& attempted) {
  if (result != cudaSuccess) fail(attempted + ": " + cudaGetErrorString(result));
}

inline __device__ std::uint64_t now_ns() {
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

static __global__ void wait_and_write(std::uint64_t duration_ns, uint4* to, std::size_t items,
                                      std::uint64_t* began_ns, std::uint64_t* ended_ns) {
  const std::uint64_t begin = now_ns();
  while (now_ns() - begin < duration_ns) continue;
  const std::size_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::size_t i = thread; i < items; i += gridDim.x * blockDim.x) to[i] = {1, 2, 3, 4};
  if (thread != 0) return;
  if (began_ns != nullptr) *began_ns = begin;
  if (ended_ns != nullptr) *ended_ns = now_ns();
}

class FixedKernels {
 public:
  explicit FixedKernels(std::size_t most_written_mib) {
    check(cudaDeviceGetAttribute(&blocks_, cudaDevAttrMultiProcessorCount, 0),
          "query the number of SMs");
    blocks_ *= kBlocksPerSm;
    check(cudaMalloc(&to_, most_written_mib << 20), "allocate the output");
    check(cudaMallocManaged(&times_ns_, 2 * sizeof *times_ns_), "allocate the times");
  }

  // Mean time from the start of one kernel to the start of the next, minus its duration.
  double beyond_waiting_ns(const FixedKernel& kernel) {
    const auto duration_ns = 1000ull * static_cast<std::uint64_t>(kernel.duration_us);
    const std::size_t items = (kernel.written_mib << 20) / sizeof(uint4);
    wait_and_write<<<1, 32>>>(2'000'000, to_, 0, nullptr, nullptr);  // while the host enqueues
    for (int i = 0; i <= kernel.times; ++i) {
      wait_and_write<<<blocks_, kThreads>>>(duration_ns, to_, items, i == 0 ? times_ns_ : nullptr,
                                            i == kernel.times ? times_ns_ + 1 : nullptr);
    }
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
    const auto all_ns = static_cast<double>(times_ns_[1] - times_ns_[0] - duration_ns);
    return all_ns / kernel.times - static_cast<double>(duration_ns);
  }

  // Host time of a launch while the stream has room for all of them.
  double launch_ns() {
    launch_idle(kLaunches / 5);  // warms up buffers and code
    const auto begin = std::chrono::steady_clock::now();
    launch_idle(kLaunches);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
    return took.count() / kLaunches;
  }

 private:
  void launch_idle(int times) {
    for (int i = 0; i < times; ++i) wait_and_write<<<1, 32>>>(0, to_, 0, nullptr, nullptr);
  }

  static constexpr int kLaunches = 500;  // the driver queues about a thousand
  static constexpr int kThreads = 128;
  static constexpr int kBlocksPerSm = 4;  // resident at once on any GPU: all wait for the same time
  int blocks_ = 0;
  uint4* to_ = nullptr;
  std::uint64_t* times_ns_ = nullptr;
};

}  // namespace mansard
