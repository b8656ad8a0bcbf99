// SPDX-License-Identifier: Apache-2.0
// The FMA ceiling of the host in one precision: every core advances as many independent chains of
// x = m * x + x as its registers hold (vector_loops.h).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/fill.h"
#include "kernels/cpu/host_kernel.h"
#include "kernels/device/fma_units.h"

namespace mansard {

template <class T>
class FmaKernel final : public HostKernel {
 public:
  FmaKernel(const VectorLoops& loops, const PrepareOptions& options)
      : HostKernel(loops), options_(options), state_(static_cast<std::size_t>(threads())) {
    // Zeros mean all operands: every product and sum is then zero.
    if (options.pattern == DataPattern::zeros) addend_ = 0;
    fill(options.pattern, options.seed);
  }

  Work work() const override {
    Work work;
    work.flop = 2.0 * threads() * loops().template fma_lanes<T>() * kFmaStepsPerRound *
                static_cast<double>(rounds());
    return work;
  }

  void launch(void*) override { run(rounds(), addend_); }

  // Twice: a few rounds, after which each lane still depends on its own start, and a whole launch.
  std::string verify() override {
    std::string difference = check(3);
    if (difference.empty()) difference = check(rounds());
    fill(options_.pattern, options_.seed);
    return difference;
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = HostKernel::parameters();
    all["fma_units"] = std::to_string(fma_units(loops().set));
    all["accumulators"] = std::to_string(loops().accumulators);
    all["fma_per_launch"] =
        std::to_string(rounds() * kFmaStepsPerRound * loops().accumulators) + " vectors a thread";
    return all;
  }

 private:
  struct alignas(64) ThreadState {
    std::array<T, kMaxFmaBytes / sizeof(T)> lanes;
  };
  static constexpr T kAddend = T{0.5};

  // 16 million vectors: 2 ms for a core that starts two a cycle at 4 GHz, a thousand times the
  // spread of the start.
  std::int64_t rounds() const {
    return 16'000'000 / (std::int64_t{kFmaStepsPerRound} * loops().accumulators);
  }

  void run(std::int64_t rounds, T addend) {
    run_timed([&](int thread) {
      loops().template fma<T>()(lanes(thread), static_cast<T>(kFmaMultiplier), addend, rounds);
    });
  }

  T* lanes(int thread) { return state_[static_cast<std::size_t>(thread)].lanes.data(); }

  T start_value(DataPattern pattern, std::uint64_t seed, int thread, int lane) const {
    const auto index = static_cast<std::uint64_t>(thread) << 32 | static_cast<std::uint64_t>(lane);
    return static_cast<T>(pattern_value(pattern, seed, index));
  }

  void fill(DataPattern pattern, std::uint64_t seed) {
    for (int thread = 0; thread < threads(); ++thread) {
      for (int lane = 0; lane < loops().template fma_lanes<T>(); ++lane) {
        lanes(thread)[lane] = start_value(pattern, seed, thread, lane);
      }
    }
  }

  std::string check(std::int64_t rounds) {
    const std::uint64_t seed = options_.seed + 1;
    fill(DataPattern::random_uniform, seed);
    run(rounds, kAddend);

    // The recurrence is linear in its start: x_n = slope * x_0 + offset, so one pass in extended
    // precision serves every lane. A step errs by less than 2 eps * |x|, also where the product is
    // rounded on its own, and later steps shrink that error with x; |x_0| is at most 1.
    const long double factor = 1 + static_cast<long double>(kFmaMultiplier);
    constexpr long double kStepError = 2 * std::numeric_limits<T>::epsilon();
    long double slope = 1;
    long double offset = 0;
    long double tolerance = 0;
    T addend = kAddend;
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (int step = 0; step < kFmaStepsPerRound; ++step) {
        tolerance *= std::fabs(factor);
        tolerance += kStepError * (std::fabs(slope) + std::fabs(offset));
        slope *= factor;
        offset *= factor;
      }
      offset += addend;
      addend *= static_cast<T>(kFmaAddendDecay);
    }
    for (int thread = 0; thread < threads(); ++thread) {
      for (int lane = 0; lane < loops().template fma_lanes<T>(); ++lane) {
        const long double expected =
            slope * start_value(DataPattern::random_uniform, seed, thread, lane) + offset;
        const T found = lanes(thread)[lane];
        // Negated, so that a NaN is a difference.
        if (!(std::fabs(found - expected) <= tolerance)) {
          return "thread " + std::to_string(thread) + ", lane " + std::to_string(lane) + " after " +
                 std::to_string(rounds) + " rounds: " + std::to_string(found) + " instead of " +
                 std::to_string(expected);
        }
      }
    }
    return "";
  }

  PrepareOptions options_;
  T addend_ = kAddend;
  std::vector<ThreadState> state_;
};

template <class T>
KernelSpec fma_spec(std::string name, Precision precision) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::string(info(precision).label) + " fused multiply-adds on every core";
  spec.target = Target::host;
  spec.role = KernelRole::compute_ceiling;
  spec.precision = precision;
  spec.unsupported = unsupported_on_host;
  spec.peak_per_clock = [](const DeviceInfo& device) {
    if (!unsupported_on_host(device).empty()) return 0.0;
    const VectorLoops& loops = loops_for(device);
    return 2.0 * loops.template lanes<T>() * fma_units(loops.set);
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<FmaKernel<T>>(loops_for(device), options);
  };
  return spec;
}

}  // namespace mansard
