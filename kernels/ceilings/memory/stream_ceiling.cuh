// SPDX-License-Identifier: Apache-2.0
// Ceilings of device memory with element-wise kernels, a[i] = f(b[i], c[i]). Each is a struct with:
//   static constexpr int kReads;            // arrays read: 0, 1 or 2
//   static constexpr double kFlop;          // per element
//   static constexpr StreamShape kShape;
//   static float element(float b, float c)  // if nothing is read, b is computed from the index
//   static double expected(double b, double c)
#pragma once

#include <array>
#include <cstdint>

#include "kernels/ceilings/memory/stream_arrays.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/hashed_array.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels::stream {

// One 16-byte access per thread and array is fastest for the copy on an H200: 4.27 TB/s, vs. 4.07
// to 4.15 with 4 accesses per thread, 4.06 to 4.17 with 8, and 3.8 to 4.0 with a persistent grid
// (medians of 15, 2026-11-21). Many small thread blocks keep more requests in flight than a loop in
// a thread.
struct StreamShape {
  int threads = 256;
  int vectors = 1;          // 16-byte accesses per thread and array
  bool evict_first = true;  // for stores: L2 does not retain their lines
};

__device__ __forceinline__ float4 hashed_vector(std::int64_t vector, std::uint32_t salt) {
  const auto first = static_cast<std::uint64_t>(vector) * 4;
  return {hashed::value(first, salt), hashed::value(first + 1, salt),
          hashed::value(first + 2, salt), hashed::value(first + 3, salt)};
}

// `salt` determines the values of a kernel that reads nothing.
template <typename Op>
__global__ void __launch_bounds__(Op::kShape.threads)
    stream_ceiling(float4* __restrict__ a, const float4* __restrict__ b,
                   const float4* __restrict__ c, std::uint32_t salt) {
  constexpr StreamShape kShape = Op::kShape;
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (kShape.threads * kShape.vectors) + threadIdx.x;
  float4 x[kShape.vectors];
  float4 y[kShape.vectors];
#pragma unroll
  for (int v = 0; v < kShape.vectors; ++v) {
    const std::int64_t i = first + v * kShape.threads;
    if constexpr (Op::kReads == 0) {
      x[v] = hashed_vector(i, salt);
    } else {
      x[v] = __ldcs(b + i);
    }
    y[v] = {};
    if constexpr (Op::kReads == 2) y[v] = __ldcs(c + i);
  }
#pragma unroll
  for (int v = 0; v < kShape.vectors; ++v) {
    const std::int64_t i = first + v * kShape.threads;
    const float4 result = {Op::element(x[v].x, y[v].x), Op::element(x[v].y, y[v].y),
                           Op::element(x[v].z, y[v].z), Op::element(x[v].w, y[v].w)};
    if constexpr (kShape.evict_first) {
      __stcs(a + i, result);
    } else {
      a[i] = result;
    }
  }
}

template <typename Op>
void enqueue(float* a, const float* b, const float* c, std::int64_t bytes, std::uint32_t salt,
             cudaStream_t cuda_stream) {
  const std::int64_t tile_bytes = std::int64_t{16} * Op::kShape.threads * Op::kShape.vectors;
  stream_ceiling<Op>
      <<<static_cast<unsigned>(bytes / tile_bytes), Op::kShape.threads, 0, cuda_stream>>>(
          reinterpret_cast<float4*>(a), reinterpret_cast<const float4*>(b),
          reinterpret_cast<const float4*>(c), salt);
  cuda_check(cudaGetLastError(), "launch a streaming ceiling");
}

// The sum of two operands is exact in double precision, so rounding it to FP32 gives the same
// result as one rounding instruction.
template <typename Op>
__global__ void count_wrong(const float* a, std::int64_t count, std::uint32_t salt_b,
                            std::uint32_t salt_c, unsigned long long* wrong) {
  hashed::for_each_index(count, [&](std::int64_t i) {
    const double expected = Op::expected(hashed::value(i, salt_b), hashed::value(i, salt_c));
    if (!(a[i] == static_cast<float>(expected))) atomicAdd(wrong, 1ull);
  });
}

template <typename Op>
class StreamCeiling : public PreparedKernel {
 public:
  StreamCeiling() { fill(); }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = static_cast<double>(kArrays * kBytes);
    w.flop = Op::kFlop * kCount;
    return w;
  }
  void launch(void* cuda_stream) override {
    enqueue<Op>(a_.get(), input(0), input(1), kBytes, salts_[0],
                static_cast<cudaStream_t>(cuda_stream));
  }
  std::string verify() override {
    fill();
    a_.fill_bytes(0xff);
    launch(nullptr);
    DeviceBuffer<unsigned long long> wrong(1);
    wrong.fill_bytes(0);
    count_wrong<Op><<<hashed::kHelperBlocks, hashed::kHelperThreads>>>(a_.get(), kCount, salts_[0],
                                                                       salts_[1], wrong.get());
    return hashed::wrong_values(wrong.to_host()[0], kCount);
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"array_bytes", std::to_string(kBytes)},
            {"arrays", std::to_string(kArrays)},
            {"bytes_per_thread", std::to_string(16 * Op::kShape.vectors)},
            {"threads_per_block", std::to_string(Op::kShape.threads)}};
  }

 private:
  static constexpr int kArrays = Op::kReads + 1;
  static constexpr std::int64_t kBytes = array_bytes(kArrays);
  static constexpr std::int64_t kCount = kBytes / 4;
  static_assert(kBytes % (16 * Op::kShape.threads * Op::kShape.vectors) == 0,
                "whole tiles must cover the array");

  const float* input(int n) const { return n < Op::kReads ? inputs_[n].get() : nullptr; }
  void fill() {
    for (std::uint32_t& salt : salts_) salt = hashed::fresh_salt();
    for (int n = 0; n < Op::kReads; ++n) {
      if (inputs_[n].size() == 0) inputs_[n] = DeviceBuffer<float>(kCount);
      hashed::fill(reinterpret_cast<std::uint32_t*>(inputs_[n].get()), kCount, salts_[n]);
    }
  }

  DeviceBuffer<float> a_{kCount};
  std::array<DeviceBuffer<float>, 2> inputs_;
  std::array<std::uint32_t, 2> salts_{};
};

template <typename Op>
KernelSpec stream_spec(std::string name, std::string summary) {
  KernelSpec spec = device_memory_spec(std::move(name), std::move(summary));
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<StreamCeiling<Op>>();
  };
  return spec;
}

}  // namespace mansard::kernels::stream
