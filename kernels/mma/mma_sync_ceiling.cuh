// SPDX-License-Identifier: Apache-2.0
// The tensor cores' ceiling by mma.sync: each warp multiplies fragments that stay in registers. A
// format is a struct with: kPrecision, kInstruction, kElements (in a 32-bit register),
// kFractionBits, multiply(d, a, b), encode(float) -> bits of one element, decode(bits) -> double,
// kBits. The instruction is m16n8k(8 * kElements): A has 4 registers a lane, B has 2, D has 4
// floats. Source of the fragment layouts: PTX ISA 8.x, "Matrix Fragments for mma.m16n8k*".
#pragma once

#include <random>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"
#include "kernels/mma/accumulation_error.h"
#include "kernels/mma/operand_pattern.h"

namespace mansard::mma_sync {

inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kRowTiles = 2;     // fragments of A a warp holds
inline constexpr int kColumnTiles = 4;  // of B: 8 independent products hide the latency
inline constexpr int kIterations = 4096;

// `a` and `b` hold the fragments of each warp of a block, lane by lane; every block uses the same.
template <typename Format>
__global__ void __launch_bounds__(kThreads)
    mma_sync_ceiling(const std::uint32_t* a, const std::uint32_t* b, float* d, int iterations,
                     SmSpan* spans) {
  std::uint32_t fa[kRowTiles][4];
  std::uint32_t fb[kColumnTiles][2];
  float acc[kRowTiles][kColumnTiles][4];
#pragma unroll
  for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
    for (int r = 0; r < 4; ++r) fa[m][r] = a[(m * 4 + r) * kThreads + threadIdx.x];
  }
#pragma unroll
  for (int n = 0; n < kColumnTiles; ++n) {
#pragma unroll
    for (int r = 0; r < 2; ++r) fb[n][r] = b[(n * 2 + r) * kThreads + threadIdx.x];
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[m][n][i] = 0.0f;
    }
  }
  __syncthreads();
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int it = 0; it < iterations; ++it) {
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) Format::multiply(acc[m][n], fa[m], fb[n]);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kRowTiles * kColumnTiles * 4 * kThreads);
#pragma unroll
  for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
    for (int n = 0; n < kColumnTiles; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        d[first + ((m * kColumnTiles + n) * 4 + i) * kThreads + threadIdx.x] = acc[m][n][i];
      }
    }
  }
}

// Where an element sits: lane and register of A's (row, k) and B's (k, column), and element of it.
struct Place {
  int lane;
  int reg;
  int element;
};

template <int kElements>
constexpr Place place_a(int row, int k) {
  return {4 * (row % 8) + (k / kElements) % 4, row / 8 + 2 * (k / (4 * kElements)), k % kElements};
}

template <int kElements>
constexpr Place place_b(int k, int column) {
  return {4 * column + (k / kElements) % 4, k / (4 * kElements), k % kElements};
}

constexpr Place place_d(int row, int column) {
  return {4 * (row % 8) + column / 2, 2 * (row / 8) + column % 2, 0};
}

template <typename Format>
class MmaSyncCeiling : public PreparedKernel {
 public:
  static constexpr int kK = 8 * Format::kElements;

  MmaSyncCeiling(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units * resident_blocks_per_sm(mma_sync_ceiling<Format>, kThreads)),
        pattern_(options.pattern),
        seed_(options.seed),
        d_(static_cast<std::size_t>(blocks_) * kRowTiles * kColumnTiles * 4 * kThreads),
        spans_(blocks_) {
    fill(pattern_, seed_);
  }

  Work work() const override {
    Work w;
    w.flop = 2.0 * 16 * 8 * kK * kRowTiles * kColumnTiles * kWarps * blocks_ * kIterations;
    return w;
  }

  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = 3;
    fill(DataPattern::random_normal, std::random_device{}());
    d_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    cuda_check(cudaDeviceSynchronize(), "run the mma.sync ceiling");
    const std::string difference = compare(kChecked);
    fill(pattern_, seed_);
    return difference;
  }

  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }

  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", Format::kInstruction},
            {"blocks", std::to_string(blocks_)},
            {"warps_per_block", std::to_string(kWarps)},
            {"iterations", std::to_string(kIterations)}};
  }

 private:
  void enqueue(int iterations, cudaStream_t stream) {
    mma_sync_ceiling<Format>
        <<<blocks_, kThreads, 0, stream>>>(a_.get(), b_.get(), d_.get(), iterations, spans_.get());
    cuda_check(cudaGetLastError(), "launch the mma.sync ceiling");
  }

  void fill(DataPattern pattern, std::uint64_t seed) {
    OperandPattern draw(pattern, seed);
    const auto word = [&] {
      std::uint32_t bits = 0;
      for (int e = 0; e < Format::kElements; ++e)
        bits |= Format::encode(draw()) << (e * Format::kBits);
      return bits;
    };
    host_a_.resize(kRowTiles * 4 * kThreads);
    host_b_.resize(kColumnTiles * 2 * kThreads);
    for (std::uint32_t& w : host_a_) w = word();
    for (std::uint32_t& w : host_b_) w = word();
    a_ = DeviceBuffer<std::uint32_t>(host_a_);
    b_ = DeviceBuffer<std::uint32_t>(host_b_);
  }

  static double element(const std::vector<std::uint32_t>& words, int tile_registers, int warp,
                        Place p) {
    const std::uint32_t w = words[static_cast<std::size_t>(tile_registers + p.reg) * kThreads +
                                  static_cast<std::size_t>(warp * 32 + p.lane)];
    constexpr std::uint32_t kMask = (1u << Format::kBits) - 1;
    return Format::decode((w >> (p.element * Format::kBits)) & kMask);
  }

  // Every product of the first and the last block, against FP64.
  std::string compare(int iterations) const {
    const std::vector<float> d = d_.to_host();
    AccumulationError error;
    for (int tile = 0; tile < kRowTiles * kColumnTiles * kWarps; ++tile) {
      const int warp = tile % kWarps;
      const int m = tile / kWarps / kColumnTiles;
      const int n = tile / kWarps % kColumnTiles;
      for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 8; ++column) {
          double expected = 0;
          for (int k = 0; k < kK; ++k) {
            expected += element(host_a_, 4 * m, warp, place_a<Format::kElements>(row, k)) *
                        element(host_b_, 2 * n, warp, place_b<Format::kElements>(k, column));
          }
          const Place p = place_d(row, column);
          for (int block = 0; block < blocks_; block += std::max(1, blocks_ - 1)) {
            const std::size_t reg = (static_cast<std::size_t>(block) * kRowTiles * kColumnTiles +
                                     static_cast<std::size_t>(m * kColumnTiles + n)) *
                                        4 +
                                    static_cast<std::size_t>(p.reg);
            error.add(d[reg * kThreads + static_cast<std::size_t>(warp * 32 + p.lane)],
                      iterations * expected);
          }
        }
      }
    }
    return error.judge(iterations, Format::kFractionBits);
  }

  int blocks_;
  DataPattern pattern_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> host_a_;
  std::vector<std::uint32_t> host_b_;
  DeviceBuffer<std::uint32_t> a_;
  DeviceBuffer<std::uint32_t> b_;
  DeviceBuffer<float> d_;
  SpanBuffer spans_;
};

}  // namespace mansard::mma_sync
