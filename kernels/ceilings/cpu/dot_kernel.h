// SPDX-License-Identifier: Apache-2.0
// Ceiling of one low-precision dot product or matrix instruction (dot_loops.h) on all cores.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/ceilings/cpu/compute_kernel.h"
#include "kernels/ceilings/cpu/fill.h"
#include "kernels/device/dot_loops.h"
#include "kernels/device/issue_rate.h"

namespace mansard::kernels {

class DotKernel final : public ComputeKernel {
 public:
  DotKernel(const DotLoop& loop, const PrepareOptions& options)
      : ComputeKernel(loop.set, options.seed, loop.operations() * loop.steps * loop.chains(),
                      rounds_a_launch(loop)),
        loop_(loop),
        state_(static_cast<std::size_t>(threads())) {
    fill(options.seed);
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = HostKernel::parameters();
    if (loop_.unit == DotUnit::tile) all["instruction_set"] = "AMX";
    all["instruction"] = loop_.instruction;
    all["cycles_per_instruction"] = std::to_string(1 / dot_rate(loop_));
    all["accumulators"] = std::to_string(loop_.chains());
    all["instructions_per_launch"] =
        std::to_string(rounds() * loop_.steps * loop_.chains()) + " per thread";
    return all;
  }

 private:
  struct alignas(64) ThreadState {
    std::array<std::byte, kMaxDotOperandBytes> left;
    std::array<std::byte, kMaxDotOperandBytes> right;
    std::array<std::uint32_t, kMaxDotTotals> totals;
  };
  struct Operands {
    std::vector<int> left;
    std::vector<int> right;
  };

  // 8 million cycles, 2 ms at 4 GHz: a thousand times the spread of the start times.
  static std::int64_t rounds_a_launch(const DotLoop& loop) {
    constexpr double kCycles = 8e6;
    const double instructions_a_round = static_cast<double>(loop.steps) * loop.chains();
    return std::max<std::int64_t>(
        4, static_cast<std::int64_t>(kCycles * dot_rate(loop) / instructions_a_round));
  }

  // The elements in INT8, or their numerators in BF16; ordered by register.
  Operands operands(std::uint64_t seed, int thread) const {
    Operands all;
    const auto first = static_cast<std::uint64_t>(thread) << 32;
    for (int i = 0; i < loop_.left * loop_.shape.left_elements(); ++i) {
      all.left.push_back(
          uniform_integer(seed, first + all.left.size(), loop_.lowest_left, loop_.largest));
    }
    for (int i = 0; i < loop_.right * loop_.shape.right_elements(); ++i) {
      all.right.push_back(uniform_integer(seed, first + (1u << 16) + all.right.size(),
                                          -loop_.largest, loop_.largest));
    }
    return all;
  }

  void fill(std::uint64_t seed) override {
    for (int thread = 0; thread < threads(); ++thread) {
      ThreadState& state = state_[static_cast<std::size_t>(thread)];
      const Operands values = operands(seed, thread);
      write(values.left, state.left.data());
      write(values.right, state.right.data());
      state.totals.fill(0);
    }
  }

  void write(const std::vector<int>& values, std::byte* to) const {
    for (const int value : values) {
      if (loop_.precision == Precision::int8) {
        *to++ = static_cast<std::byte>(value);
        continue;
      }
      // BF16 is the upper half of FP32, which is sufficient for these fractions.
      const float fraction = static_cast<float>(value) / static_cast<float>(loop_.largest + 1);
      const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(fraction) >> 16);
      std::memcpy(to, &bits, sizeof bits);
      to += sizeof bits;
    }
  }

  void advance(int thread, std::int64_t rounds) override {
    ThreadState& state = state_[static_cast<std::size_t>(thread)];
    loop_.advance(state.left.data(), state.right.data(), state.totals.data(), rounds);
  }

  void exercise(int thread) const override {
    const ThreadState& state = state_[static_cast<std::size_t>(thread)];
    alignas(64) std::array<std::uint32_t, kMaxDotTotals> totals = {};
    loop_.advance(state.left.data(), state.right.data(), totals.data(), 1);
  }

  // Bit by bit: intermediate results are exact (DotLoop::largest), and integers wrap around.
  std::string difference(std::uint64_t seed, std::int64_t rounds) const override {
    std::uint32_t repeated = 0;  // the value to which the rounds turn a one
    for (std::int64_t round = 0; round < rounds; ++round) repeated = 3 * repeated + 1;
    for (int thread = 0; thread < threads(); ++thread) {
      const Operands values = operands(seed, thread);
      for (int chain = 0; chain < loop_.chains(); ++chain) {
        for (int lane = 0; lane < loop_.shape.lanes; ++lane) {
          const std::uint32_t expected = repeated * sum_bits(values, chain, lane);
          const std::uint32_t found =
              state_[static_cast<std::size_t>(thread)]
                  .totals[static_cast<std::size_t>(chain * loop_.shape.lanes + lane)];
          if (found == expected) continue;
          return "thread " + std::to_string(thread) + ", accumulator " + std::to_string(chain) +
                 ", lane " + std::to_string(lane) + " after " + std::to_string(rounds) +
                 " rounds: total " + std::to_string(found) + " instead of " +
                 std::to_string(expected);
        }
      }
    }
    return "";
  }

  // Sum of a lane at the end of a round, from 64-bit integers.
  std::uint32_t sum_bits(const Operands& values, int chain, int lane) const {
    const DotShape& shape = loop_.shape;
    const int left = chain / loop_.right * shape.left_elements();
    const int right = chain % loop_.right * shape.right_elements();
    std::int64_t sum = 0;
    for (int k = 0; k < shape.depth; ++k) {
      sum +=
          std::int64_t{values.left[static_cast<std::size_t>(left + shape.left_element(lane, k))]} *
          values.right[static_cast<std::size_t>(right + shape.right_element(lane, k))];
    }
    sum *= loop_.steps;
    if (loop_.precision == Precision::int8) return static_cast<std::uint32_t>(sum);
    const float one = static_cast<float>(loop_.largest + 1);
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum) / (one * one));
  }

  DotLoop loop_;
  std::vector<ThreadState> state_;
};

inline DotChoice dot_choice(const DeviceInfo& device, Precision precision, DotUnit unit) {
  const std::string reason = unsupported_on_host(device);
  if (!reason.empty()) return {nullptr, reason};
  return choose_dot_loop(precision, unit, *parse_instruction_set(device.instruction_set));
}

// `summary` and `fixed_pattern` as in KernelSpec.
inline KernelSpec dot_spec(std::string name, std::string summary, std::string fixed_pattern,
                           Precision precision, DotUnit unit) {
  KernelSpec spec = compute_spec(
      std::move(name), std::move(summary), precision,
      [precision, unit](const DeviceInfo& device, const PrepareOptions& options) {
        const DotChoice choice = dot_choice(device, precision, unit);
        if (choice.loop == nullptr) {
          throw std::runtime_error("cannot prepare " + std::string(info(precision).label) +
                                   " products on '" + device.name + "': " + choice.why);
        }
        return std::make_unique<DotKernel>(*choice.loop, options);
      });
  if (precision == Precision::int8) spec.unit = "op/s";
  spec.fixed_pattern = std::move(fixed_pattern);
  spec.unsupported = [precision, unit](const DeviceInfo& device) {
    return dot_choice(device, precision, unit).why;
  };
  spec.peak_per_clock = [precision, unit](const DeviceInfo& device) {
    const DotChoice choice = dot_choice(device, precision, unit);
    return choice.loop == nullptr ? 0.0 : choice.loop->operations() * dot_rate(*choice.loop);
  };
  return spec;
}

}  // namespace mansard::kernels
