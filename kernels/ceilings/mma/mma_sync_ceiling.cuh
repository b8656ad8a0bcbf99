// SPDX-License-Identifier: Apache-2.0
// Tensor-core ceiling via mma.sync: each warp multiplies fragments that stay in registers. A format
// is a struct with Element, Accumulators, kPrecision, kInstruction, kM, kK, kFractionBits and
// multiply(d, a, b) on arrays of registers. Block-scaled formats also have Scale and kScaleBlock,
// and their multiply takes one register of scales for each of A and B. ConvertedTo marks formats
// that some GPUs lack an instruction for, where the compiler converts the operands for another one.
#pragma once

#include <map>
#include <random>
#include <vector>

#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/ceilings/mma/accumulators.h"
#include "kernels/ceilings/mma/mma_sync_kernel.cuh"
#include "kernels/ceilings/mma/operand_pattern.h"
#include "kernels/ceilings/mma/tensor_ceiling.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"

namespace mansard::kernels::mma_sync {

inline constexpr int kIterations = 4096;

template <typename Format>
class MmaSyncCeiling : public PreparedKernel {
 public:
  MmaSyncCeiling(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units * resident_blocks_per_sm(mma_sync_ceiling<Format>, kThreads)),
        options_(options),
        d_(static_cast<std::size_t>(blocks_) * kTiles * Layout::kRegistersD * kThreads),
        spans_(blocks_) {
    fill(options_.pattern, options_.seed);
  }

  Work work() const override {
    Work w;
    w.flop = 2.0 * Format::kM * Layout::kN * Format::kK * kTiles * kWarps * blocks_ * kIterations;
    return w;
  }

  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = 3;
    fill(DataPattern::random_normal, std::random_device{}());
    d_.fill_bytes(0xff);
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
            {"warps_per_block", std::to_string(kWarps)},
            {"iterations", std::to_string(kIterations)}};
  }

 private:
  using R = Registers<Format>;
  using Element = typename R::Element;
  using Layout = typename R::Layout;
  using Codes = std::vector<typename R::Code>;

  void enqueue(int iterations, cudaStream_t stream) {
    using Word = typename R::Word;
    mma_sync_ceiling<Format><<<blocks_, kThreads, 0, stream>>>(
        reinterpret_cast<const Word*>(a_.get()), reinterpret_cast<const Word*>(b_.get()),
        scales_a_.get(), scales_b_.get(), d_.get(), iterations, 0, spans_.get());
    cuda_check(cudaGetLastError(), "launch the mma.sync ceiling");
  }

  void fill(DataPattern pattern, std::uint64_t seed) {
    OperandPattern draw(pattern, seed);
    host_a_ = words(kRowTiles * Layout::kRegistersA, draw);
    host_b_ = words(kColumnTiles * Layout::kRegistersB, draw);
    a_ = DeviceBuffer<typename R::Code>(host_a_);
    b_ = DeviceBuffer<typename R::Code>(host_b_);
    if constexpr (BlockScaled<Format>) {
      host_scales_a_ = scales(kRowTiles, Format::kM, scale_row, draw);
      host_scales_b_ = scales(kColumnTiles, Layout::kN, scale_column, draw);
      scales_a_ = DeviceBuffer<std::uint32_t>(host_scales_a_);
      scales_b_ = DeviceBuffer<std::uint32_t>(host_scales_b_);
    }
  }

  static Codes words(int registers, OperandPattern& draw) {
    Codes out(static_cast<std::size_t>(registers) * kThreads);
    for (auto& word : out) {
      for (int e = 0; e < R::kElements; ++e) word |= draw.code<Element>() << (e * Element::kBits);
    }
    return out;
  }

  // A word of scales for each of the `lines` rows or columns of a tile, in every lane from which
  // the instruction may read it.
  static std::vector<std::uint32_t> scales(int tiles, int lines, int (*line)(int lane),
                                           OperandPattern& draw) {
    std::vector<std::uint32_t> out;
    for (int warp_tile = 0; warp_tile < tiles * kWarps; ++warp_tile) {
      std::vector<std::uint32_t> of_line(static_cast<std::size_t>(lines));
      for (std::uint32_t& word : of_line) {
        for (int byte = 0; byte < 4; ++byte) {
          word |= std::uint32_t{draw.scale<typename Format::Scale>()} << (8 * byte);
        }
      }
      for (int lane = 0; lane < 32; ++lane)
        out.push_back(of_line[static_cast<std::size_t>(line(lane))]);
    }
    return out;
  }

  static double element(const Codes& words, int tile_registers, int warp, Place p) {
    const auto word =
        words[static_cast<std::size_t>((tile_registers + p.reg) * kThreads + warp * 32 + p.lane)];
    return Element::decode((word >> (p.element * Element::kBits)) & kMask);
  }

  static double scale(const std::vector<std::uint32_t>& words, int tile, int warp, int lane,
                      int k) {
    const auto word = words[static_cast<std::size_t>(tile * kThreads + warp * 32 + lane)];
    return Format::Scale::decode(
        static_cast<std::uint8_t>(word >> (8 * (k / Format::kScaleBlock))));
  }

  double product(int m, int n, int warp, int row, int column) const {
    double sum = 0;
    for (int k = 0; k < Format::kK; ++k) {
      double term = element(host_a_, Layout::kRegistersA * m, warp, Layout::a(row, k)) *
                    element(host_b_, Layout::kRegistersB * n, warp, Layout::b(k, column));
      if constexpr (BlockScaled<Format>) {
        term *= scale(host_scales_a_, m, warp, 4 * (row % 8) + row / 8, k) *
                scale(host_scales_b_, n, warp, 4 * column, k);
      }
      sum += term;
    }
    return sum;
  }

  // Compares all sums of the first and the last block with FP64.
  std::string compare(int iterations) const {
    constexpr int kPacked = Format::Accumulators::kPerRegister;
    const std::vector<typename R::Sum> d = d_.to_host();
    AccumulationError error;
    for (int i = 0; i < kTiles * kWarps * Format::kM * Layout::kN; ++i) {
      const int column = i % Layout::kN;
      const int row = i / Layout::kN % Format::kM;
      const int warp = i / (Layout::kN * Format::kM) % kWarps;
      const int tile = i / (Layout::kN * Format::kM * kWarps);
      const double expected =
          iterations * product(tile / kColumnTiles, tile % kColumnTiles, warp, row, column);
      const Place p = Layout::d(row, column);
      for (int block = 0; block < blocks_; block += std::max(1, blocks_ - 1)) {
        const auto reg = static_cast<std::size_t>(block) * kTiles * Layout::kRegistersD +
                         static_cast<std::size_t>(tile * Layout::kRegistersD + p.reg);
        const std::size_t word = reg * kThreads + static_cast<std::size_t>(warp * 32 + p.lane);
        error.add(Format::Accumulators::at(d, word * kPacked + static_cast<std::size_t>(p.element)),
                  expected);
      }
    }
    return error.judge(iterations, Format::kFractionBits);
  }

  static constexpr typename R::Code kMask = ~typename R::Code{0} >>
                                            (8 * sizeof(typename R::Code) - Element::kBits);

  int blocks_;
  PrepareOptions options_;
  Codes host_a_;
  Codes host_b_;
  std::vector<std::uint32_t> host_scales_a_;
  std::vector<std::uint32_t> host_scales_b_;
  DeviceBuffer<typename R::Code> a_;
  DeviceBuffer<typename R::Code> b_;
  DeviceBuffer<std::uint32_t> scales_a_;
  DeviceBuffer<std::uint32_t> scales_b_;
  DeviceBuffer<typename R::Sum> d_;
  SpanBuffer spans_;
};

// `peak_per_clock`: FLOP or op per clock and SM of the whole tensor pipe, for any instruction, by
// compute capability; unknown for others.
template <typename Format>
KernelSpec mma_sync_spec(std::string name, std::string summary, Unsupported unsupported,
                         std::map<int, double> peak_per_clock) {
  KernelSpec spec =
      tensor_ceiling_spec<Format>(std::move(name), std::move(summary), std::move(unsupported));
  spec.peak_per_clock = [peaks = std::move(peak_per_clock)](const DeviceInfo& device) {
    const auto found = peaks.find(device.compute_capability);
    return found == peaks.end() ? 0.0 : found->second;
  };
  // If wgmma or tcgen05 use the same pipe faster, programs with mma.sync do not reach its power;
  // FP64 has no other instruction.
  spec.sustained = [](const DeviceInfo& device) {
    const int generation = device.compute_capability / 10;
    return Format::kPrecision == Precision::fp64 || (generation != 9 && generation != 10);
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<MmaSyncCeiling<Format>>(device, options);
  };
  return spec;
}

}  // namespace mansard::kernels::mma_sync
