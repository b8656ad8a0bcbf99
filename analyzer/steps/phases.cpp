// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/phases.h"

#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/launch_table.h"
#include "analyzer/steps/device_timeline.h"

namespace mansard::analysis {

namespace {

// The phase of each step.
std::vector<PhaseKind> phase_of_steps(const DeviceSteps& device) {
  std::vector<PhaseKind> phases(device.steps.size(), PhaseKind::other_steps);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (device.steps[i].readings > 0) {
      phases[i] = PhaseKind::counters_read;
    } else if (device.typical.empty() || i < device.typical.front()) {
      phases[i] = PhaseKind::first_steps;
    }
  }
  for (const std::size_t i : device.typical) phases[i] = PhaseKind::typical_steps;
  return phases;
}

OperationClass class_of(const RunAnalysis& run, const DeviceActivity& activity) {
  const std::size_t row = launches_of(run).row(activity.launch);
  return row == kNoRow ? OperationClass("CUDA graphs") : run.rows[row].operation_class;
}

}  // namespace

const PhaseInfo& info(PhaseKind kind) {
  static constexpr std::array<PhaseInfo, kPhaseKinds> kInfos = {{
      {"start_up", "start-up", "Before the first step: initialization, compilation, autotuning"},
      {"first_steps", "first steps", "Steps before the first typical one"},
      {"typical_steps", "typical steps", "The steps that all values per step are taken from"},
      {"other_steps", "other steps",
       "Later steps that are not typical, such as those with an evaluation"},
      {"counters_read", "counters read", "Steps slowed down by reading hardware counters"},
      {"after_steps", "after the steps", "After the last step"},
  }};
  return kInfos[static_cast<std::size_t>(kind)];
}

std::vector<Phase> run_phases(const RunAnalysis& run, const DeviceSteps& device) {
  if (device.origin == StepOrigin::whole || device.steps.empty()) return {};
  const std::vector<DeviceActivity> activities =
      device_activities(run.profile, launches_of(run), device.device_id);
  if (activities.empty()) return {};
  std::vector<Phase> phases(kPhaseKinds);
  for (std::size_t i = 0; i < kPhaseKinds; ++i) phases[i].kind = static_cast<PhaseKind>(i);
  const std::vector<PhaseKind> of_step = phase_of_steps(device);
  for (const PhaseKind kind : of_step) ++phases[static_cast<std::size_t>(kind)].steps;
  const auto phase_at = [&](std::int64_t time_ns) -> Phase& {
    if (time_ns < device.steps.front().start_ns) return phases.front();
    const std::optional<std::size_t> step = step_at(device.steps, time_ns);
    return step ? phases[static_cast<std::size_t>(of_step[*step])] : phases.back();
  };
  std::int64_t end_ns = device.steps.back().end_ns;
  for (const DeviceActivity& activity : activities) {
    end_ns = std::max(end_ns, activity.end_ns);
    ++phase_at(activity.start_ns).launches;
  }
  std::vector<std::int64_t> bounds;  // between phases, and one past the end
  for (const Step& step : device.steps) bounds.push_back(step.start_ns);
  bounds.push_back(device.steps.back().end_ns);
  bounds.push_back(std::numeric_limits<std::int64_t>::max());
  auto bound = bounds.begin();
  const auto add = [&](const TimeSlice& slice) {
    for (std::int64_t now_ns = slice.start_ns; now_ns < slice.end_ns;) {
      while (*bound <= now_ns) ++bound;
      const std::int64_t until_ns = std::min(*bound, slice.end_ns);
      Phase& phase = phase_at(now_ns);
      phase.total_ns += until_ns - now_ns;
      if (slice.activity != nullptr) {
        phase.busy_ns += until_ns - now_ns;
        phase.class_ns[class_of(run, *slice.activity)] += until_ns - now_ns;
      }
      now_ns = until_ns;
    }
  };
  for_each_slice(activities, std::min(activities.front().start_ns, bounds.front()), end_ns, add);
  std::erase_if(phases, [](const Phase& phase) { return phase.total_ns == 0; });
  return phases;
}

}  // namespace mansard::analysis
