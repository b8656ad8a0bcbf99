// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/issue_rate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/device/core_clock.h"

namespace mansard::kernels {
namespace {

double sample(double instructions, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  run();
  const double time_s = std::chrono::duration<double>(Clock::now() - start).count();
  const double clock_hz = measure_core_clock_hz(run);
  return clock_hz > 0 ? instructions / (time_s * clock_hz) : 0;
}

double measure(const DotLoop& loop) {
  constexpr double kInstructions = 200'000;
  alignas(64) static const char zeros[kMaxDotOperandBytes] = {};
  alignas(64) std::uint32_t totals[kMaxDotTotals] = {};
  const int per_round = loop.steps * loop.chains();
  const auto rounds = static_cast<std::int64_t>(std::ceil(kInstructions / per_round));
  return instructions_per_cycle(static_cast<double>(rounds * per_round),
                                [&] { loop.advance(zeros, zeros, totals, rounds); });
}

}  // namespace

double instructions_per_cycle(double instructions, const std::function<void()>& run) {
  // Interrupts and a busy SMT sibling only lower the rate, possibly for a long time, so the samples
  // are spread over about 80 ms and the best counts. The second best is used, so that one sample
  // whose clock was measured during an interrupt does not decide.
  constexpr int kSamples = 60;
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    samples.push_back(sample(instructions, run));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::nth_element(samples.begin(), samples.begin() + 1, samples.end(), std::greater<>());
  return samples[1];
}

double whole_rate(double measured) {
  // More than 1.25 per cycle cannot come from one unit, nor more than 2.5 from two. An
  // underestimated clock makes the rate slightly too high; a disturbance makes it lower, often
  // considerably.
  constexpr double kTooMuch = 1.25;
  if (measured > kTooMuch) return std::ceil(measured / kTooMuch);
  constexpr double kLowest = 1.0 / 16;
  double rate = 1;
  while (rate > kLowest && measured <= kTooMuch * rate / 2) rate /= 2;
  return rate;
}

double dot_rate(const DotLoop& loop) {
  if (loop.starts_per_cycle > 0) return loop.starts_per_cycle;
  static std::mutex mutex;
  static std::map<std::string_view, double> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(loop.instruction);
  if (found != known.end()) return found->second;
  const double rate = measure(loop);
  // Without a clock: one unit, the minimum of a core that has the instruction.
  return known[loop.instruction] = rate > 0 ? whole_rate(rate) : 1;
}

}  // namespace mansard::kernels
