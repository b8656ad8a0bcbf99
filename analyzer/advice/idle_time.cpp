// SPDX-License-Identifier: Apache-2.0
// Time in which the device was idle.
#include <algorithm>

#include "analyzer/activity.h"
#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kMuchIdle = 0.05;  // share of the unit's time

// Returns the cause with the most idle time.
const IdleCauseInfo& main_cause(const TypicalStep& step) {
  const auto most = std::max_element(step.idle_by_cause_s.begin(), step.idle_by_cause_s.end());
  return idle_cause_infos()[static_cast<std::size_t>(most - step.idle_by_cause_s.begin())];
}

}  // namespace

std::vector<Advice> advise_on_idle_time(const RunAnalysis& run, const RunUnit& unit) {
  if (!has_device_activity(run.profile) || !(unit.time_s() > 0)) return {};
  // Gaps between recorded windows are caused by the profiler, not by the program.
  if (unit.name() == "run" && run.profile.session.windows.size() > 1) return {};
  if (unit.idle_s() < kMuchIdle * unit.time_s()) return {};
  Advice advice;
  advice.id = "idle_time";
  advice.title = "The GPU is idle";
  advice.text = "The GPU is idle for " + format_si(unit.idle_s(), "s") + " of " +
                format_si(unit.time_s(), "s") + " per " + std::string(unit.name()) + " (" +
                format_percent(unit.idle_s() / unit.time_s()) + ")";
  if (unit.step()) {
    const IdleCauseInfo& cause = main_cause(*unit.step());
    advice.text += "; main cause: " + std::string(cause.label);
    advice.remedy = cause.remedy;
  } else {
    advice.remedy = "Find the host ranges and API calls in these gaps in the timeline.";
  }
  advice.text += ".";
  advice.saving_s = unit.idle_s();
  advice.idle_saving_s = unit.idle_s();
  advice.concerned_s = unit.idle_s();
  return {std::move(advice)};
}

}  // namespace mansard::analysis
