// SPDX-License-Identifier: Apache-2.0
#include "collector/session/step_recognizer.h"

#include <algorithm>

namespace mansard::collector {
namespace {

constexpr std::size_t kMostLaunches = std::size_t{1} << 16;
// Programs with more kinds than this do not repeat themselves.
constexpr std::size_t kMostKinds = std::size_t{1} << 16;
constexpr std::int64_t kBetweenAttempts_ns = 500'000'000;
constexpr std::size_t kIntervals = 3;
// Batches of unequal sizes and logging change the number of launches.
constexpr double kEqualIntervals = 1.1;
// The rest are launches of a logging step or an evaluation. The optimizer must be more than that.
constexpr double kNearlyAll = 0.995;

}  // namespace

bool StepRecognizer::add(std::uint64_t kind, std::int64_t now_ns) {
  if (counts_.empty()) last_new_ns_ = now_ns;
  if (counts_.size() < kMostKinds || counts_.contains(kind)) {
    if (++counts_[kind] == 1) last_new_ns_ = now_ns;
  }
  if (pattern_) return kind == marker_;
  if (recent_.size() < kMostLaunches) {
    recent_.push_back({kind, now_ns});
  } else {
    recent_[oldest_] = {kind, now_ns};
    oldest_ = (oldest_ + 1) % kMostLaunches;
  }
  if (now_ns - last_new_ns_ < kSteady_ns || now_ns < next_attempt_ns_) return false;
  next_attempt_ns_ = now_ns + kBetweenAttempts_ns;
  recognize();
  return pattern_ && kind == marker_;
}

// The kinds that occur in each of the last kIntervals intervals of this length.
std::unordered_set<std::uint64_t> StepRecognizer::kinds_of_each(const std::vector<Launch>& launches,
                                                                std::size_t interval) {
  std::unordered_map<std::uint64_t, std::size_t> intervals_with;
  for (std::size_t n = 0; n < kIntervals; ++n) {
    std::unordered_set<std::uint64_t> kinds;
    const std::size_t end = launches.size() - n * interval;
    for (std::size_t i = end - interval; i < end; ++i) kinds.insert(launches[i].kind);
    for (const std::uint64_t kind : kinds) ++intervals_with[kind];
  }
  std::unordered_set<std::uint64_t> in_each;
  for (const auto& [kind, count] : intervals_with) {
    if (count == kIntervals) in_each.insert(kind);
  }
  return in_each;
}

std::vector<StepRecognizer::Marker> StepRecognizer::markers(const std::vector<Launch>& launches) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < launches.size(); ++i) places[launches[i].kind].push_back(i);
  std::vector<Marker> found;
  for (const auto& [kind, at] : places) {
    if (at.size() <= kIntervals) continue;
    std::size_t least = launches.size();
    std::size_t most = 0;
    double gap_ns = 0;
    for (std::size_t i = at.size() - kIntervals; i < at.size(); ++i) {
      least = std::min(least, at[i] - at[i - 1]);
      most = std::max(most, at[i] - at[i - 1]);
      const Launch& before = launches[at[i - 1]];
      gap_ns += static_cast<double>(launches[at[i - 1] + 1].time_ns - before.time_ns);
    }
    if (static_cast<double>(most) > kEqualIntervals * static_cast<double>(least)) continue;
    found.push_back({kind, most, gap_ns / kIntervals});
  }
  std::ranges::sort(found, {}, &Marker::interval);
  return found;
}

void StepRecognizer::recognize() {
  std::vector<Launch> launches(recent_.begin() + static_cast<std::ptrdiff_t>(oldest_),
                               recent_.end());
  launches.insert(launches.end(), recent_.begin(),
                  recent_.begin() + static_cast<std::ptrdiff_t>(oldest_));
  // From before the last new kind, only its repetitions count.
  std::erase_if(launches, [&](const Launch& launch) { return launch.time_ns < last_new_ns_; });
  const std::vector<Marker> all = markers(launches);
  std::size_t tried = 0;
  for (const Marker& shortest : all) {
    if (shortest.interval == tried || kIntervals * shortest.interval > launches.size()) continue;
    tried = shortest.interval;
    const std::unordered_set<std::uint64_t> kinds = kinds_of_each(launches, tried);
    const auto covered = std::ranges::count_if(
        launches, [&](const Launch& launch) { return kinds.contains(launch.kind); });
    if (static_cast<double>(covered) < kNearlyAll * static_cast<double>(launches.size())) continue;
    // The longest pause of the program's launches is most likely between two steps.
    const Marker* best = &shortest;
    for (const Marker& marker : all) {
      const bool is_equal = static_cast<double>(marker.interval) <=
                                kEqualIntervals * static_cast<double>(shortest.interval) &&
                            marker.interval >= shortest.interval;
      if (is_equal && marker.gap_ns > best->gap_ns) best = &marker;
    }
    marker_ = best->kind;
    std::vector<std::int64_t> times_ns;
    for (const Launch& launch : launches) {
      if (launch.kind == marker_) times_ns.push_back(launch.time_ns);
    }
    pattern_ = Pattern{static_cast<double>(best->interval),
                       1e-9 * static_cast<double>(times_ns.back() - times_ns.front()) /
                           static_cast<double>(times_ns.size() - 1)};
    recent_ = {};
    return;
  }
}

}  // namespace mansard::collector
