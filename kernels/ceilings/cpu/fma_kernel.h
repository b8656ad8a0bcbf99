// SPDX-License-Identifier: Apache-2.0
// The host's FMA ceiling in one precision: every core advances independent chains of x = m * x + x,
// as many as fit in its registers (vector_loops.h).
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/ceilings/cpu/compute_kernel.h"
#include "kernels/ceilings/cpu/fill.h"
#include "kernels/device/fma_units.h"

namespace mansard::kernels {

template <class T>
class FmaKernel final : public ComputeKernel {
 public:
  FmaKernel(const VectorLoops& loops, const PrepareOptions& options)
      : ComputeKernel(loops.set, options.seed,
                      2.0 * kFmaStepsPerRound * loops.template fma_lanes<T>(),
                      kVectorsALaunch / (std::int64_t{kFmaStepsPerRound} * loops.accumulators)),
        loops_(loops),
        state_(static_cast<std::size_t>(threads())) {
    fill(options.seed);
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = HostKernel::parameters();
    all["fma_units"] = std::to_string(fma_units(loops_.set));
    all["accumulators"] = std::to_string(loops_.accumulators);
    all["fma_per_launch"] =
        std::to_string(rounds() * kFmaStepsPerRound * loops_.accumulators) + " vectors per thread";
    return all;
  }

 private:
  struct alignas(64) ThreadState {
    std::array<T, kMaxFmaBytes / sizeof(T)> lanes;
  };
  static constexpr T kAddend = T{0.5};
  // 2 ms for a core that starts two per cycle at 4 GHz: a thousand times the spread of the start
  // times.
  static constexpr std::int64_t kVectorsALaunch = 16'000'000;

  void advance(int thread, std::int64_t rounds) override {
    loops_.template fma<T>()(state_[static_cast<std::size_t>(thread)].lanes.data(),
                             static_cast<T>(kFmaMultiplier), kAddend, rounds);
  }

  void exercise(int thread) const override {
    ThreadState copy = state_[static_cast<std::size_t>(thread)];
    loops_.template fma<T>()(copy.lanes.data(), static_cast<T>(kFmaMultiplier), kAddend, 1);
  }

  static T start_value(std::uint64_t seed, int thread, int lane) {
    const auto index = static_cast<std::uint64_t>(thread) << 32 | static_cast<std::uint64_t>(lane);
    return static_cast<T>(uniform_value(seed, index));
  }

  void fill(std::uint64_t seed) override {
    for (int thread = 0; thread < threads(); ++thread) {
      for (int lane = 0; lane < loops_.template fma_lanes<T>(); ++lane) {
        state_[static_cast<std::size_t>(thread)].lanes[static_cast<std::size_t>(lane)] =
            start_value(seed, thread, lane);
      }
    }
  }

  // After a few rounds each lane still depends on its start value; after many, on the number of
  // rounds.
  std::string difference(std::uint64_t seed, std::int64_t rounds) const override {
    // The recurrence is linear in its start value: x_n = slope * x_0 + offset, so one pass in
    // extended precision serves all lanes. The error of a step is less than 2 eps * |x|, also if
    // the product is rounded separately, and later steps shrink it together with x; |x_0| is at
    // most 1.
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
      for (int lane = 0; lane < loops_.template fma_lanes<T>(); ++lane) {
        const long double expected = slope * start_value(seed, thread, lane) + offset;
        const T found =
            state_[static_cast<std::size_t>(thread)].lanes[static_cast<std::size_t>(lane)];
        // Negated, so that NaN counts as a difference.
        if (!(std::fabs(found - expected) <= tolerance)) {
          return "thread " + std::to_string(thread) + ", lane " + std::to_string(lane) + " after " +
                 std::to_string(rounds) + " rounds: " + std::to_string(found) + " instead of " +
                 std::to_string(expected);
        }
      }
    }
    return "";
  }

  VectorLoops loops_;
  std::vector<ThreadState> state_;
};

template <class T>
KernelSpec fma_spec(std::string name, Precision precision) {
  KernelSpec spec = compute_spec(
      std::move(name), std::string(info(precision).label) + " fused multiply-adds on all cores",
      precision, [](const DeviceInfo& device, const PrepareOptions& options) {
        return std::make_unique<FmaKernel<T>>(loops_for(device), options);
      });
  spec.fixed_pattern = "a damped recurrence from uniform in [-1, 1)";
  spec.peak_per_clock = [](const DeviceInfo& device) {
    if (!unsupported_on_host(device).empty()) return 0.0;
    const VectorLoops& loops = loops_for(device);
    return 2.0 * loops.template lanes<T>() * fma_units(loops.set);
  };
  return spec;
}

}  // namespace mansard::kernels
