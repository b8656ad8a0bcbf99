// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps.h"

#include <algorithm>

namespace mansard {

StepRange find_steps(const Profile& profile, std::string_view prefix) {
  StepRange found{std::string(prefix), {}};
  for (const NvtxRecord& range : profile.nvtx) {
    const bool is_range =
        range.type == NvtxEventType::push_pop || range.type == NvtxEventType::start_end;
    if (!is_range || range.began_earlier || range.end_ns < range.start_ns) continue;
    const std::string& name = range.text_id != 0 ? profile.string(range.text_id) : range.text;
    if (!std::string_view(name).starts_with(prefix)) continue;
    found.steps.push_back({range.start_ns, range.end_ns});
  }
  std::stable_sort(found.steps.begin(), found.steps.end(), [](const Step& a, const Step& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::int64_t end_ns = -1;
  std::erase_if(found.steps, [&](const Step& step) {
    const bool inside = step.start_ns < end_ns;
    if (!inside) end_ns = step.end_ns;
    return inside;
  });
  return found;
}

const std::vector<std::string>& usual_step_prefixes() {
  static const std::vector<std::string> prefixes = {"step", "train_step", "iteration",
                                                    "ProfilerStep"};
  return prefixes;
}

StepRange find_usual_steps(const Profile& profile) {
  for (const std::string& prefix : usual_step_prefixes()) {
    StepRange found = find_steps(profile, prefix);
    if (found.steps.size() >= 2) return found;
  }
  return {};
}

LaunchTimes::LaunchTimes(const Profile& profile) {
  call_start_ns_.reserve(profile.api_calls.size());
  for (const ApiRecord& call : profile.api_calls) {
    if (call.correlation_id != 0) call_start_ns_.emplace_back(call.correlation_id, call.start_ns);
  }
  std::sort(call_start_ns_.begin(), call_start_ns_.end());
}

std::int64_t LaunchTimes::of(std::int64_t correlation_id, std::int64_t start_ns) const {
  const auto call =
      std::lower_bound(call_start_ns_.begin(), call_start_ns_.end(), correlation_id,
                       [](const auto& entry, std::int64_t id) { return entry.first < id; });
  const bool found = call != call_start_ns_.end() && call->first == correlation_id;
  return found ? call->second : start_ns;
}

std::optional<std::size_t> step_at(const StepRange& range, std::int64_t time_ns) {
  const auto after =
      std::upper_bound(range.steps.begin(), range.steps.end(), time_ns,
                       [](std::int64_t time, const Step& step) { return time < step.start_ns; });
  if (after == range.steps.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<std::size_t>(after - range.steps.begin()) - 1;
}

}  // namespace mansard
