// SPDX-License-Identifier: Apache-2.0
// Time in which nothing ran on the device.
#include "analyzer/activity.h"
#include "analyzer/advice/advice.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr double kMuchIdle = 0.1;  // of the span

}  // namespace

std::vector<Advice> advise_on_idle_time(const RunAnalysis& run) {
  if (!has_device_activity(run.profile) || !(run.span_s > 0)) return {};
  // The pauses between windows of recording are the recorder's choice, not the program's.
  if (run.profile.session.windows.size() > 1) return {};
  // Nor is the time in which kernels were replayed to read their counters.
  if (!run.profile.counter_readings.empty()) return {};
  const double idle_s = run.span_s - run.busy_s;
  if (idle_s < kMuchIdle * run.span_s) return {};
  Advice advice;
  advice.id = "idle_time";
  advice.title = "The device is idle";
  advice.text = "Nothing ran on it for " + format_si(idle_s, "s") + " of " +
                format_si(run.span_s, "s") + " (" + format_percent(idle_s / run.span_s) +
                "): it waits for the program, which loads data, synchronises or launches too "
                "slowly. Look at the host's ranges in these pauses.";
  advice.at_stake_s = idle_s;
  advice.concerned_s = idle_s;
  return {std::move(advice)};
}

}  // namespace mansard
