// SPDX-License-Identifier: Apache-2.0
// Stores that stay in the L2: each thread block repeatedly overwrites its own part of a third of
// the L2. The buffer is not smaller because stores to a line in flight are merged before they reach
// the L2; with a buffer of 4 MB on an H200 three quarters were. Not a roof: the roof for programs
// is the read ceiling, which is higher.
#include <cstdint>
#include <random>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 2;
constexpr int kVectorBytes = 16;
constexpr double kLaunchBytes = 6e9;  // 1.5 ms at 4 TB/s

// Volatile with a memory clobber, because a store that is overwritten unread could be dropped.
__device__ __forceinline__ void store(uint4* p, uint4 v) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

// Value of vector `i` after pass `pass`.
__host__ __device__ inline uint4 content(std::uint32_t i, std::uint32_t pass, std::uint32_t seed) {
  return {i * 2654435761u ^ seed, pass + i, ~i, seed + pass};
}

// Each thread owns `per_thread` vectors, with those of a block adjacent. The last pass remains.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    l2_write_ceiling(uint4* data, int per_thread, int passes, std::uint32_t seed, SmSpan* spans) {
  const std::uint32_t first = blockIdx.x * kThreads * per_thread + threadIdx.x;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (int i = 0; i < per_thread; ++i) {
      const std::uint32_t at = first + i * kThreads;
      store(data + at, content(at, pass, seed));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
}

class L2Write : public PreparedKernel {
 public:
  explicit L2Write(const DeviceInfo& device)
      : blocks_(device.units * kBlocksPerSm),
        per_thread_(
            std::max(1, static_cast<int>(device.l2_bytes / 3 / kVectorBytes / kThreads / blocks_))),
        spans_(blocks_),
        data_(static_cast<std::size_t>(blocks_) * kThreads *
              static_cast<std::size_t>(per_thread_)) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::l2] = static_cast<double>(data_.bytes()) * passes();
    return w;
  }
  void launch(void* stream) override { enqueue(passes(), 1, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr std::uint32_t kChecked = 5;
    const std::uint32_t seed = std::random_device{}();
    data_.fill_bytes(0xff);
    enqueue(kChecked, seed, nullptr);
    const std::vector<uint4> got = data_.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const uint4 expected = content(static_cast<std::uint32_t>(i), kChecked - 1, seed);
      if (got[i].x == expected.x && got[i].y == expected.y && got[i].z == expected.z &&
          got[i].w == expected.w) {
        continue;
      }
      return "vector " + std::to_string(i) + " does not hold what the last pass wrote";
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes", std::to_string(data_.bytes())},
            {"threads_per_block", std::to_string(kThreads)},
            {"blocks", std::to_string(blocks_)},
            {"passes", std::to_string(passes())}};
  }

 private:
  int passes() const {
    return std::max(1, static_cast<int>(kLaunchBytes / static_cast<double>(data_.bytes())));
  }
  void enqueue(int passes, std::uint32_t seed, cudaStream_t stream) {
    l2_write_ceiling<<<blocks_, kThreads, 0, stream>>>(data_.get(), per_thread_, passes, seed,
                                                       spans_.get());
    cuda_check(cudaGetLastError(), "launch the L2 write ceiling");
  }

  int blocks_;
  int per_thread_;
  SpanBuffer spans_;
  DeviceBuffer<uint4> data_;
};

}  // namespace

void register_l2_write(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "l2_write";
  spec.summary = "L2 writes to a buffer of one third of the L2";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::l2;
  spec.roof = false;
  spec.fixed_pattern = "numbers that differ in each vector and pass";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.l2_bytes > 0 ? "" : "the device reports no L2 cache";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<L2Write>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
