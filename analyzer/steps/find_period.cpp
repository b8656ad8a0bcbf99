// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "analyzer/steps/find_steps.h"
#include "support/statistics.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMinPeriods = 3;
constexpr double kMinMatch = 0.9;
constexpr std::size_t kCandidates = 64;
constexpr std::size_t kSamples = 20000;  // positions of a sequence to test a period at

// Fraction of the positions at which `sequence` has the same value one period later.
double match(const std::vector<std::uint32_t>& sequence, std::size_t period) {
  const std::size_t count = sequence.size() - period;
  const std::size_t stride = std::max<std::size_t>(1, count / kSamples);
  std::size_t same = 0;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < count; i += stride, ++looked_at) {
    same += sequence[i] == sequence[i + period] ? 1 : 0;
  }
  return static_cast<double>(same) / static_cast<double>(looked_at);
}

// Distances between occurrences of a kernel, rarest kernels first: a kernel that runs once per step
// gives the period of a step, one that runs once per layer only that of a layer.
std::vector<std::size_t> candidate_periods(const std::vector<std::uint32_t>& sequence) {
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < sequence.size(); ++i) places[sequence[i]].push_back(i);
  std::vector<const std::vector<std::size_t>*> rare;
  for (const auto& [kernel, where] : places) {
    if (where.size() >= kMinPeriods) rare.push_back(&where);
  }
  std::sort(rare.begin(), rare.end(), [](const auto* a, const auto* b) {
    return a->size() != b->size() ? a->size() < b->size() : a->front() < b->front();
  });
  std::vector<std::size_t> periods;
  for (const std::vector<std::size_t>* where : rare) {
    std::vector<std::size_t> gaps;
    for (std::size_t i = 1; i < where->size(); ++i) gaps.push_back((*where)[i] - (*where)[i - 1]);
    const std::size_t middle = lower_median(std::move(gaps));
    if (middle * kMinPeriods > sequence.size()) continue;
    if (std::find(periods.begin(), periods.end(), middle) == periods.end()) {
      periods.push_back(middle);
    }
    if (periods.size() == kCandidates) break;
  }
  return periods;
}

// Indices `phase` + n x `period`, aligned to a kernel that runs once per step, if there is one, so
// that an extra or missing kernel in a step does not shift the following steps.
std::vector<std::size_t> starts_of(const std::vector<std::uint32_t>& sequence, std::size_t period,
                                   std::size_t phase) {
  std::unordered_map<std::uint32_t, std::size_t> in_one_step;
  for (std::size_t i = phase; i < phase + period; ++i) ++in_one_step[sequence[i]];
  std::vector<std::size_t> starts;
  for (std::size_t marker = phase; marker < phase + period; ++marker) {
    if (in_one_step[sequence[marker]] != 1) continue;
    const std::size_t offset = marker - phase;
    for (std::size_t i = marker; i < sequence.size(); ++i) {
      if (sequence[i] == sequence[marker]) starts.push_back(i - offset);
    }
    return starts;
  }
  for (std::size_t i = phase; i < sequence.size(); i += period) starts.push_back(i);
  return starts;
}

}  // namespace

std::vector<std::size_t> find_period(const std::vector<std::uint32_t>& sequence,
                                     const std::vector<std::int64_t>& idle_before_ns) {
  std::size_t period = 0;
  double best = kMinMatch;
  for (const std::size_t candidate : candidate_periods(sequence)) {
    const double matched = match(sequence, candidate);
    // Multiples of a period match equally well: prefer the shortest.
    if (matched > best + 1e-3 || (period != 0 && matched > best - 1e-3 && candidate < period)) {
      best = std::max(best, matched);
      period = candidate;
    }
  }
  if (period == 0) return {};
  // A loop around a single kernel is not a step.
  const auto end = sequence.begin() + static_cast<std::ptrdiff_t>(period);
  if (std::all_of(sequence.begin(), end, [&](std::uint32_t s) { return s == sequence[0]; })) {
    return {};
  }

  // A step starts after the longest idle time; anywhere, if the device is never idle.
  std::vector<std::int64_t> idle_ns(period, 0);
  for (std::size_t i = period; i < sequence.size(); ++i) idle_ns[i % period] += idle_before_ns[i];
  const std::size_t phase =
      static_cast<std::size_t>(std::max_element(idle_ns.begin(), idle_ns.end()) - idle_ns.begin());
  return starts_of(sequence, period, phase);
}

}  // namespace mansard::analysis
