// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/fma_units.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>

#include "kernels/device/core_clock.h"
#include "kernels/device/vector_loops.h"

namespace mansard {
namespace {

// One sample takes about 0.1 ms of FMA and as much for the clock.
double fma_per_cycle(const VectorLoops& loops) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 20;
  alignas(64) double lanes[kMaxFmaBytes / sizeof(double)] = {};
  const Clock::time_point start = Clock::now();
  loops.fma_fp64(lanes, kFmaMultiplier, 0.5, kRounds);
  const double time_s = std::chrono::duration<double>(Clock::now() - start).count();
  const double clock_hz = measure_core_clock_hz();
  if (clock_hz <= 0) return 0;
  return double{kRounds} * kFmaStepsPerRound * loops.accumulators / (time_s * clock_hz);
}

int measure(InstructionSet set) {
  const VectorLoops& loops = vector_loops(set);
  // The first samples see the wide units being powered up; the median passes over interruptions.
  constexpr int kWarmUp = 3;
  std::array<double, 15> samples;
  for (int i = 0; i < kWarmUp; ++i) fma_per_cycle(loops);
  for (double& sample : samples) sample = fma_per_cycle(loops);
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  const double median = samples[samples.size() / 2];
  if (median <= 0) return 2;  // no clock to measure by; two is what server cores have
  // Up: losses only lower the rate. More than 1.25 cannot come from one unit.
  return std::max(1, static_cast<int>(std::ceil(median - 0.25)));
}

}  // namespace

int fma_units(InstructionSet set) {
  static std::mutex mutex;
  static std::map<InstructionSet, int> measured;
  const std::lock_guard lock(mutex);
  const auto known = measured.find(set);
  return known != measured.end() ? known->second : measured[set] = measure(set);
}

}  // namespace mansard
