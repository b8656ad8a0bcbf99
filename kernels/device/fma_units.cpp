// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/fma_units.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/device/issue_rate.h"
#include "kernels/device/vector_loops.h"

namespace mansard::kernels {
namespace {

int measure(InstructionSet set) {
  constexpr int kRounds = 20;
  const VectorLoops& loops = vector_loops(set);
  alignas(64) double lanes[kMaxFmaBytes / sizeof(double)] = {};
  const double best =
      instructions_per_cycle(double{kRounds} * kFmaStepsPerRound * loops.accumulators,
                             [&] { loops.fma_fp64(lanes, kFmaMultiplier, 0.5, kRounds); });
  if (best <= 0) return 2;  // no clock available; server cores have two
  return std::max(1, static_cast<int>(whole_rate(best)));
}

}  // namespace

int fma_units(InstructionSet set) {
  static std::mutex mutex;
  static std::map<InstructionSet, int> measured;
  const std::lock_guard lock(mutex);
  const auto known = measured.find(set);
  return known != measured.end() ? known->second : measured[set] = measure(set);
}

}  // namespace mansard::kernels
