// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/rank_steps.h"

#include <algorithm>
#include <set>

namespace mansard {
namespace {

// By device, from its first kernel whose call was recorded.
std::map<std::int32_t, std::int64_t> processes_of_devices(const Profile& profile,
                                                          const LaunchCalls& calls) {
  std::map<std::int32_t, std::int64_t> processes;
  for (const KernelRecord& kernel : profile.kernels) {
    if (processes.contains(kernel.device_id)) continue;
    const auto call = calls.find(kernel.correlation_id);
    if (call) processes[kernel.device_id] = process_of(call->global_tid);
  }
  return processes;
}

StepRanges same_kind(const Profile& profile, const std::string& kind, std::int64_t process) {
  std::vector<StepRanges> kinds = step_range_kinds(profile, "", process);
  const auto same = std::ranges::find(kinds, kind, &StepRanges::kind);
  // Otherwise it is the name that was asked for.
  return same != kinds.end() ? std::move(*same) : find_step_ranges(profile, kind, process);
}

}  // namespace

RankSteps::RankSteps(const Profile& profile, const LaunchCalls& calls, const StepRanges& steps)
    : profile_(profile), calls_(calls), steps_(steps) {
  if (steps.empty()) return;
  note_launches();
  for (const auto& [device, process] : processes_of_devices(profile, calls)) {
    if (process == process_of(steps.global_tid)) continue;
    StepRanges own = same_kind(profile, steps.kind, process);
    if (!own.empty()) others_[device] = std::move(own);
  }
}

void RankSteps::note_launches() {
  std::set<std::int32_t> lacking;
  for (const KernelRecord& kernel : profile_.kernels) {
    const auto call = calls_.find(kernel.correlation_id);
    if (!call) {
      lacking.insert(kernel.device_id);
    } else {
      launches_[kernel.device_id].push_back({kernel.start_ns, call->start_ns});
    }
  }
  std::erase_if(launches_, [&](const auto& device) { return !lacking.contains(device.first); });
}

std::optional<std::size_t> RankSteps::step_of(std::int32_t device_id, std::int64_t correlation_id,
                                              std::int64_t start_ns) const {
  const StepRanges& steps = of_device(device_id);
  if (const auto call = calls_.find(correlation_id)) return step_at(steps, call->start_ns);
  const auto known = launches_.find(device_id);
  if (known == launches_.end()) return step_at(steps, start_ns);
  const auto after = std::ranges::upper_bound(known->second, start_ns, {}, &Launch::start_ns);
  // What ran before all others was launched with the first of them.
  const Launch& launch = after == known->second.begin() ? *after : *(after - 1);
  return step_at(steps, launch.launch_ns);
}

const StepRanges& RankSteps::of_device(std::int32_t device_id) const {
  const auto found = others_.find(device_id);
  return found == others_.end() ? steps_ : found->second;
}

}  // namespace mansard
