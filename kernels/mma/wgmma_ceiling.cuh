// SPDX-License-Identifier: Apache-2.0
// The tensor cores' ceiling by wgmma: two warpgroups on every SM multiply tiles that stay in shared
// memory, so that nothing but the tensor pipe is busy. A format is a struct with:
//   Element, kPrecision, kInstruction, kK (elements an instruction), kFractionBits,
//   multiply(d, a, b), encode(float), decode()
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"
#include "kernels/mma/accumulation_error.h"
#include "kernels/mma/operand_pattern.h"
#include "kernels/mma/wgmma_m64n256.cuh"

namespace mansard::wgmma {

inline constexpr int kWarpgroups = 2;                  // one issues while the other's group drains
inline constexpr int kSteps = kRowBytes / kStepBytes;  // instructions along one tile row
inline constexpr int kTileA = kM * kRowBytes;
inline constexpr int kTileB = kN * kRowBytes;
inline constexpr int kSharedBytes = kWarpgroups * kTileA + kTileB + 1024;  // + alignment slack

// `a`: kWarpgroups tiles of 64 rows, `b`: one tile of 256 rows; both already swizzled. `d` receives
// each block's kWarpgroups tiles of 64 x 256 in row-major order.
template <typename Format>
__global__ void __launch_bounds__(kWarpgroups* kThreads, 1)
    wgmma_ceiling(const uint4* a, const uint4* b, float* d, int iterations, SmSpan* spans) {
  extern __shared__ unsigned char raw[];
  // The swizzle works on address bits: tiles start at multiples of 1024 bytes.
  unsigned char* shared = raw + (1024 - __cvta_generic_to_shared(raw) % 1024) % 1024;
  const int warpgroup = threadIdx.x / kThreads;
  const int lane = threadIdx.x % kThreads;
  unsigned char* tile_a = shared + warpgroup * kTileA;
  unsigned char* tile_b = shared + kWarpgroups * kTileA;
  for (int i = threadIdx.x; i < kWarpgroups * kTileA / 16; i += blockDim.x) {
    reinterpret_cast<uint4*>(shared)[i] = a[i];
  }
  for (int i = threadIdx.x; i < kTileB / 16; i += blockDim.x) {
    reinterpret_cast<uint4*>(tile_b)[i] = b[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the tensor cores read them next
  __syncthreads();

  float acc[kAccumulators];
#pragma unroll
  for (float& x : acc) x = 0.0f;
  const std::uint64_t desc_a = descriptor(tile_a);
  const std::uint64_t desc_b = descriptor(tile_b);

  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int it = 0; it < iterations; ++it) {
    fence();
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      // Addresses in descriptors count 16 bytes.
      const std::uint64_t step = static_cast<std::uint64_t>(k) * (kStepBytes / 16);
      Format::multiply(acc, desc_a + step, desc_b + step);
    }
    commit();
    wait_all();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }

  float* out = d + (static_cast<std::size_t>(blockIdx.x) * kWarpgroups + warpgroup) * kM * kN;
#pragma unroll
  for (int i = 0; i < kAccumulators; ++i) {
    out[accumulator_row(lane, i) * kN + accumulator_column(lane, i)] = acc[i];
  }
}

template <typename Format>
class WgmmaCeiling : public PreparedKernel {
 public:
  static constexpr int kRowElements = kSteps * Format::kK;
  static constexpr int kIterations = 4096;  // about 2.5 ms on an H200

  WgmmaCeiling(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units),
        pattern_(options.pattern),
        seed_(options.seed),
        spans_(device.units) {
    cuda_check(cudaFuncSetAttribute(wgmma_ceiling<Format>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
               "reserve shared memory for the wgmma ceiling");
    fill(pattern_, seed_);
  }

  Work work() const override {
    Work w;
    w.flop = flop(kIterations);
    return w;
  }

  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    // Random operands whatever the pattern to be timed: zeros would hide a wrong layout.
    fill(DataPattern::random_normal, std::random_device{}());
    d_.fill_bytes(0xff);
    constexpr int kChecked = 3;
    enqueue(kChecked, nullptr);
    cuda_check(cudaDeviceSynchronize(), "run the wgmma ceiling");
    const std::string difference = compare(kChecked);
    fill(pattern_, seed_);
    return difference;
  }

  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }

  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", Format::kInstruction},
            {"warpgroups_per_sm", std::to_string(kWarpgroups)},
            {"blocks", std::to_string(blocks_)},
            {"iterations", std::to_string(kIterations)}};
  }

 private:
  double flop(int iterations) const {
    return 2.0 * kM * kN * kRowElements * kWarpgroups * blocks_ * iterations;
  }

  void enqueue(int iterations, cudaStream_t stream) {
    wgmma_ceiling<Format><<<blocks_, kWarpgroups * kThreads, kSharedBytes, stream>>>(
        reinterpret_cast<const uint4*>(a_.get()), reinterpret_cast<const uint4*>(b_.get()),
        d_.get(), iterations, spans_.get());
    cuda_check(cudaGetLastError(), "launch the wgmma ceiling");
  }

  void fill(DataPattern pattern, std::uint64_t seed) {
    OperandPattern draw(pattern, seed);
    host_a_ = tile(kWarpgroups * kM, draw);
    host_b_ = tile(kN, draw);
    a_ = DeviceBuffer<unsigned char>(host_a_);
    b_ = DeviceBuffer<unsigned char>(host_b_);
  }

  static std::vector<unsigned char> tile(int rows, OperandPattern& draw) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(rows) * kRowBytes);
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < kRowElements; ++k) {
        const typename Format::Element e = Format::encode(draw());
        std::memcpy(&bytes[swizzled(r, k * static_cast<int>(sizeof e))], &e, sizeof e);
      }
    }
    return bytes;
  }

  static double element(const std::vector<unsigned char>& bytes, int row, int k) {
    typename Format::Element e;
    std::memcpy(&e, &bytes[swizzled(row, k * static_cast<int>(sizeof e))], sizeof e);
    return Format::decode(e);
  }

  std::string compare(int iterations) const {
    const std::vector<float> d = d_.to_host();
    AccumulationError error;
    for (int m = 0; m < kWarpgroups * kM; ++m) {
      for (int n = 0; n < kN; ++n) {
        double expected = 0;
        for (int k = 0; k < kRowElements; ++k) {
          expected += element(host_a_, m, k) * element(host_b_, n, k);
        }
        for (int block = 0; block < blocks_; block += std::max(1, blocks_ - 1)) {
          error.add(d[(static_cast<std::size_t>(block) * kWarpgroups * kM + m) * kN + n],
                    iterations * expected);
        }
      }
    }
    return error.judge(iterations * kSteps, Format::kFractionBits);
  }

  int blocks_;
  DataPattern pattern_;
  std::uint64_t seed_;
  std::vector<unsigned char> host_a_;
  std::vector<unsigned char> host_b_;
  DeviceBuffer<unsigned char> a_;
  DeviceBuffer<unsigned char> b_;
  DeviceBuffer<float> d_{static_cast<std::size_t>(blocks_) * kWarpgroups * kM * kN};
  SpanBuffer spans_;
};

template <typename Format>
KernelSpec wgmma_spec(std::string name, std::string summary, double flop_per_clock) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Format::kPrecision;
  spec.patterned = true;
  spec.sustained = true;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    if (device.compute_capability / 10 == 9) return "";
    return "needs compute capability 9.0 (wgmma exists on Hopper alone)";
  };
  spec.peak_per_clock = [flop_per_clock](const DeviceInfo&) { return flop_per_clock; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<WgmmaCeiling<Format>>(device, options);
  };
  return spec;
}

}  // namespace mansard::wgmma
