// SPDX-License-Identifier: Apache-2.0
// Host side of the ceilings with operands in shared memory (wgmma and tcgen05.mma). Every thread
// block repeatedly multiplies the same 128 x K tile by the same 256 x K tile, where K is one row of
// the swizzle, and writes its 128 x 256 sums in row-major order. A format is a struct with Element,
// Accumulators, kPrecision, kInstruction and kFractionBits; block-scaled formats also have Scale
// and kScaleBlock.
#pragma once

#include <algorithm>
#include <random>

#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/ceilings/mma/accumulators.h"
#include "kernels/ceilings/mma/operand_tile.h"
#include "kernels/ceilings/mma/scale_tile.h"
#include "kernels/ceilings/mma/tensor_ceiling.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"

namespace mansard::kernels {

inline constexpr int kTileM = 128;
inline constexpr int kTileN = 256;

template <typename Format>
class TileCeiling : public PreparedKernel {
 public:
  using Register = typename Format::Accumulators::Register;

  TileCeiling(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units),
        options_(options),
        d_(static_cast<std::size_t>(blocks_) * kTileM * kTileN /
           Format::Accumulators::kPerRegister),
        spans_(blocks_) {
    fill(options_.pattern, options_.seed);
  }

  Work work() const override {
    Work w;
    w.flop = 2.0 * kTileM * kTileN * kColumns * blocks_ * kIterations;
    return w;
  }

  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    // Random operands for every timed pattern, because zeros would hide a wrong layout.
    fill(DataPattern::random_normal, std::random_device{}());
    d_.fill_bytes(0xff);
    constexpr int kChecked = 3;
    enqueue(kChecked, nullptr);
    cuda_check(cudaDeviceSynchronize(), std::string("run ") + Format::kInstruction);
    const std::string difference = compare(kChecked);
    fill(options_.pattern, options_.seed);
    return difference;
  }

  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }

  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", Format::kInstruction},
            {"blocks", std::to_string(blocks_)},
            {"iterations", std::to_string(kIterations)}};
  }

 protected:
  // Runs the kernel on a(), b() and scales(), with results in d() and spans().
  virtual void enqueue(int iterations, cudaStream_t stream) = 0;

  int blocks() const { return blocks_; }
  const uint4* a() const { return reinterpret_cast<const uint4*>(a_.get()); }
  const uint4* b() const { return reinterpret_cast<const uint4*>(b_.get()); }
  const uint4* scales_a() const { return reinterpret_cast<const uint4*>(scales_a_.get()); }
  const uint4* scales_b() const { return reinterpret_cast<const uint4*>(scales_b_.get()); }
  Register* d() const { return d_.get(); }
  SmSpan* spans() const { return spans_.get(); }

 private:
  using Tile = OperandTile<typename Format::Element>;
  static constexpr int kColumns = Tile::kColumns;
  static constexpr int kIterations = 4096;  // 2.1e6 cycles (tcgen05) or 4.2e6 (wgmma)

  void fill(DataPattern pattern, std::uint64_t seed) {
    OperandPattern draw(pattern, seed);
    const Tile a(kTileM, draw);
    const Tile b(kTileN, draw);
    a_ = DeviceBuffer<unsigned char>(a.bytes());
    b_ = DeviceBuffer<unsigned char>(b.bytes());
    values_a_ = a.values();
    values_b_ = b.values();
    if constexpr (BlockScaled<Format>) {
      scales_a_ = scale(values_a_, kTileM, draw);
      scales_b_ = scale(values_b_, kTileN, draw);
    }
  }

  // Multiplies `values` by new random scales and returns the scales.
  static DeviceBuffer<unsigned char> scale(std::vector<double>& values, int rows,
                                           OperandPattern& draw) requires BlockScaled<Format> {
    const ScaleTile<typename Format::Scale> tile(rows, kColumns / Format::kScaleBlock, draw);
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < kColumns; ++k) {
        values[static_cast<std::size_t>(row * kColumns + k)] *=
            tile.at(row, k / Format::kScaleBlock);
      }
    }
    return DeviceBuffer<unsigned char>(tile.bytes());
  }

  // Compares all sums of the first and the last block with FP64.
  std::string compare(int iterations) const {
    const std::vector<Register> d = d_.to_host();
    AccumulationError error;
    for (int m = 0; m < kTileM; ++m) {
      for (int n = 0; n < kTileN; ++n) {
        double sum = 0;
        for (int k = 0; k < kColumns; ++k) {
          sum += values_a_[static_cast<std::size_t>(m * kColumns + k)] *
                 values_b_[static_cast<std::size_t>(n * kColumns + k)];
        }
        for (int block = 0; block < blocks_; block += std::max(1, blocks_ - 1)) {
          const std::size_t i = (static_cast<std::size_t>(block) * kTileM + m) * kTileN + n;
          error.add(Format::Accumulators::at(d, i), iterations * sum);
        }
      }
    }
    return error.judge(iterations * kTileSteps, Format::kFractionBits);
  }

  int blocks_;
  PrepareOptions options_;
  std::vector<double> values_a_;  // decoded, including scales
  std::vector<double> values_b_;
  DeviceBuffer<unsigned char> a_;
  DeviceBuffer<unsigned char> b_;
  DeviceBuffer<unsigned char> scales_a_;
  DeviceBuffer<unsigned char> scales_b_;
  DeviceBuffer<Register> d_;
  SpanBuffer spans_;
};

}  // namespace mansard::kernels
