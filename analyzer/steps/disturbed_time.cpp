// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/disturbed_time.h"

#include <algorithm>
#include <limits>

#include "analyzer/steps/find_steps.h"

namespace mansard::analysis {

std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.start_ns < b.start_ns; });
  std::vector<TimeInterval> out;
  for (const TimeInterval& interval : intervals) {
    if (!out.empty() && interval.start_ns <= out.back().end_ns) {
      out.back().end_ns = std::max(out.back().end_ns, interval.end_ns);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

std::vector<TimeInterval> counter_pauses(const store::Profile& profile) {
  constexpr std::int64_t kRefill_ns = 100'000'000;
  std::vector<TimeInterval> pauses;
  for (const store::PauseRecord& pause : profile.pauses) {
    if (!pauses.empty() && pause.start_ns < pauses.back().end_ns + kRefill_ns) {
      pauses.back().end_ns = std::max(pauses.back().end_ns, pause.end_ns);
    } else {
      pauses.push_back({pause.start_ns, pause.end_ns});
    }
  }
  return pauses;
}

DisturbedTime::DisturbedTime(const store::Profile& profile, const std::vector<Steps>& steps) {
  std::vector<TimeInterval> readings = counter_pauses(profile);
  for (const store::CounterReading* reading : readings_in_run(profile)) {
    readings.push_back({reading->start_ns, reading->start_ns});
  }
  if (readings.empty()) return;
  std::vector<TimeInterval> disturbed;
  std::vector<TimeInterval> all_steps;
  for (const Steps& device : steps) {
    for (const Step& step : device.steps) {
      all_steps.push_back({step.start_ns, step.end_ns});
      if (step.readings > 0) disturbed.push_back({step.start_ns, step.end_ns});
    }
  }
  all_steps = merged(std::move(all_steps));
  constexpr std::int64_t kBegin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  // The time between two steps in which a reading begins or ends.
  const auto add_gap_at = [&](std::int64_t time_ns) {
    const auto after = std::upper_bound(
        all_steps.begin(), all_steps.end(), time_ns,
        [](std::int64_t time, const TimeInterval& step) { return time < step.start_ns; });
    const std::int64_t from_ns = after == all_steps.begin() ? kBegin : (after - 1)->end_ns;
    if (time_ns < from_ns) return;  // in a step: counted in Step::readings
    disturbed.push_back({from_ns, after == all_steps.end() ? kEnd : after->start_ns});
  };
  for (const TimeInterval& reading : readings) {
    add_gap_at(reading.start_ns);
    if (reading.end_ns > reading.start_ns) {
      add_gap_at(reading.end_ns);
      disturbed.push_back(reading);
    }
  }
  intervals_ = merged(std::move(disturbed));
}

bool DisturbedTime::contains(std::int64_t time_ns) const {
  const auto interval = first_after(time_ns);
  return interval != intervals_.end() && interval->start_ns <= time_ns;
}

bool DisturbedTime::overlaps(std::int64_t start_ns, std::int64_t end_ns) const {
  const auto interval = first_after(start_ns);
  return interval != intervals_.end() && interval->start_ns < std::max(end_ns, start_ns + 1);
}

std::int64_t DisturbedTime::disturbed_ns(std::int64_t start_ns, std::int64_t end_ns) const {
  std::int64_t sum_ns = 0;
  for (auto i = first_after(start_ns); i != intervals_.end() && i->start_ns < end_ns; ++i) {
    sum_ns += std::min(i->end_ns, end_ns) - std::max(i->start_ns, start_ns);
  }
  return sum_ns;
}

std::vector<TimeInterval> DisturbedTime::undisturbed(std::int64_t start_ns,
                                                     std::int64_t end_ns) const {
  std::vector<TimeInterval> out;
  std::int64_t now_ns = start_ns;
  for (auto i = first_after(start_ns); i != intervals_.end() && i->start_ns < end_ns; ++i) {
    if (i->start_ns > now_ns) out.push_back({now_ns, i->start_ns});
    now_ns = std::max(now_ns, i->end_ns);
  }
  if (now_ns < end_ns) out.push_back({now_ns, end_ns});
  return out;
}

std::vector<TimeInterval>::const_iterator DisturbedTime::first_after(std::int64_t time_ns) const {
  return std::partition_point(
      intervals_.begin(), intervals_.end(),
      [&](const TimeInterval& interval) { return interval.end_ns <= time_ns; });
}

}  // namespace mansard::analysis
