// SPDX-License-Identifier: Apache-2.0
// Base of the CUDA-core ceilings: every thread advances independent chains of one instruction in
// registers. An instruction is a struct with:
//   Value, Constants     the value of a chain; the constants of every step, passed as arguments so
//   that
//                        the compiler cannot fold them
//   kInstruction         PTX name
//   kChains              chains per thread: with at least 12 warps per scheduler, four cover any
//   latency
//                        of an arithmetic unit; with eight, the loop's own three instructions are 2
//                        % of the issued ones
//   kCounted             FLOP or operations of a step, in one thread
//   steps_per_clock(cc)  expected steps per clock of an SM; determines the launch size
//   peak_per_clock(cc)   FLOP or operations; 0: unknown
//   constants(), draw(engine)
//   check_constants()    if the check needs different constants than the timed launches
//   step(value, constants) and reference(value, constants), on the device and on the host
//   agree(got, expected)
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels::cores {

inline constexpr int kThreads = 512;
inline constexpr int kMinBlocksPerSm = 3;  // CC 12.0 has 1536 threads per SM, others 2048
inline constexpr int kUnroll = 16;
inline constexpr double kLaunchCycles = 3e6;  // about 1.5 ms

// All thread blocks start from the same values; `result` receives every chain of every thread.
template <typename Op>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    core_ceiling(const typename Op::Value* start, typename Op::Value* result,
                 typename Op::Constants constants, int iterations, SmSpan* spans) {
  typename Op::Value x[Op::kChains];
#pragma unroll
  for (int c = 0; c < Op::kChains; ++c) x[c] = start[c * kThreads + threadIdx.x];
  __syncthreads();
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
#pragma unroll 1
  for (int it = 0; it < iterations; ++it) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int c = 0; c < Op::kChains; ++c) Op::step(x[c], constants);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Op::kChains * kThreads;
#pragma unroll
  for (int c = 0; c < Op::kChains; ++c) result[first + c * kThreads + threadIdx.x] = x[c];
}

template <typename Op>
class CoreCeiling : public PreparedKernel {
 public:
  using Value = typename Op::Value;

  CoreCeiling(const DeviceInfo& device, std::uint64_t seed)
      : blocks_per_sm_(resident_blocks_per_sm(core_ceiling<Op>, kThreads)),
        blocks_(device.units * blocks_per_sm_),
        spans_(blocks_),
        result_(static_cast<std::size_t>(blocks_) * Op::kChains * kThreads) {
    const double clocks_per_turn = static_cast<double>(blocks_per_sm_) * kThreads * Op::kChains *
                                   kUnroll / Op::steps_per_clock(device.compute_capability);
    iterations_ = std::max(8, static_cast<int>(kLaunchCycles / clocks_per_turn));
    draw(seed);
  }

  Work work() const override {
    Work w;
    w.flop = Op::kCounted * Op::kChains * kUnroll * kThreads * blocks_ * iterations_;
    return w;
  }

  void launch(void* stream) override {
    enqueue(iterations_, Op::constants(), static_cast<cudaStream_t>(stream));
  }

  std::string verify() override {
    constexpr int kChecked = 5;
    draw(std::random_device{}());
    result_.fill_bytes(0xff);
    typename Op::Constants constants = Op::constants();
    if constexpr (requires { Op::check_constants(); }) constants = Op::check_constants();
    enqueue(kChecked, constants, nullptr);
    const std::vector<Value> got = result_.to_host();
    std::vector<Value> expected = start_;
    for (Value& x : expected) {
      for (int n = 0; n < kChecked * kUnroll; ++n) Op::reference(x, constants);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!Op::agree(got[i], expected[i % expected.size()])) ++wrong;
    }
    if (wrong == 0) return "";
    return std::to_string(wrong) + " of " + std::to_string(got.size()) + " chains of " +
           Op::kInstruction + " end with a value that differs from the host's";
  }

  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", Op::kInstruction},
            {"blocks", std::to_string(blocks_)},
            {"threads_per_block", std::to_string(kThreads)},
            {"chains_per_thread", std::to_string(Op::kChains)},
            {"steps", std::to_string(static_cast<long long>(iterations_) * kUnroll)}};
  }

 private:
  void draw(std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    start_.resize(static_cast<std::size_t>(Op::kChains) * kThreads);
    for (Value& x : start_) x = Op::draw(engine);
    start_on_device_ = DeviceBuffer<Value>(start_);
  }
  void enqueue(int iterations, const typename Op::Constants& constants, cudaStream_t stream) {
    core_ceiling<Op><<<blocks_, kThreads, 0, stream>>>(start_on_device_.get(), result_.get(),
                                                       constants, iterations, spans_.get());
    cuda_check(cudaGetLastError(), std::string("launch the ceiling of ") + Op::kInstruction);
  }

  int blocks_per_sm_;
  int blocks_;
  int iterations_ = 0;
  std::vector<Value> start_;
  DeviceBuffer<Value> start_on_device_;
  SpanBuffer spans_;
  DeviceBuffer<Value> result_;
};

// The caller sets the remaining fields: precision, unit, fixed_pattern, and `unsupported` if CC 8.0
// is not sufficient.
template <typename Op>
KernelSpec core_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::compute_ceiling;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  spec.peak_per_clock = [](const DeviceInfo& device) {
    return Op::peak_per_clock(device.compute_capability);
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<CoreCeiling<Op>>(device, options.seed);
  };
  return spec;
}

}  // namespace mansard::kernels::cores
