// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_steps.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/steps/step_ranges.h"

namespace mansard {

namespace {

// Steps of ranges on the host: what was launched from the begin of one to the begin of the next.
std::vector<Step> steps_of_ranges(const StepRanges& ranges,
                                  const std::vector<DeviceActivity>& activities,
                                  const LaunchCalls& calls) {
  const std::size_t count = ranges.ranges.size();
  std::vector<std::int64_t> last_end_ns(count, INT64_MIN);
  std::vector<std::int64_t> first_start_ns(count, INT64_MAX);
  std::int64_t before_ns = INT64_MIN;  // the end of what was launched before the first step
  for (const DeviceActivity& activity : activities) {
    const std::int64_t at_ns = calls.launch_ns(activity.correlation_id, activity.start_ns);
    const auto after = std::upper_bound(
        ranges.ranges.begin(), ranges.ranges.end(), at_ns,
        [](std::int64_t time_ns, const StepRange& range) { return time_ns < range.start_ns; });
    if (after == ranges.ranges.begin()) {
      before_ns = std::max(before_ns, activity.end_ns);
      continue;
    }
    if (after == ranges.ranges.end() && at_ns > ranges.ranges.back().end_ns) continue;  // later
    const std::size_t step = static_cast<std::size_t>(after - ranges.ranges.begin()) - 1;
    last_end_ns[step] = std::max(last_end_ns[step], activity.end_ns);
    first_start_ns[step] = std::min(first_start_ns[step], activity.start_ns);
  }
  std::vector<Step> steps;
  std::int64_t now_ns = INT64_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    if (last_end_ns[i] == INT64_MIN) continue;  // it put nothing on this device
    if (steps.empty()) {
      // The device may wait for the first launch of the first step, too.
      now_ns = std::min(std::max(ranges.ranges[i].start_ns, before_ns),
                        std::max(first_start_ns[i], before_ns));
    }
    if (last_end_ns[i] <= now_ns) continue;  // done before the step before was
    steps.push_back({ranges.ranges[i].name, now_ns, last_end_ns[i]});
    now_ns = last_end_ns[i];
  }
  return steps;
}

// The same launch configuration of the same kernel.
std::uint32_t signature(const Profile& profile, const DeviceActivity& activity) {
  if (activity.kind == ActivityKind::copy || activity.kind == ActivityKind::fill) {
    return 0xffffffffu - static_cast<std::uint32_t>(activity.kind);
  }
  if (activity.kind == ActivityKind::graph) {
    return 0x80000000u | static_cast<std::uint32_t>(profile.graphs[activity.index].graph_exec_id);
  }
  const KernelRecord& kernel = profile.kernels[activity.index];
  std::uint64_t hash = static_cast<std::uint64_t>(kernel.demangled_name) * 0x9E3779B97F4A7C15u;
  for (const std::int32_t n : kernel.grid) {
    hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x9E3779B97F4A7C15u;
  }
  return static_cast<std::uint32_t>(hash >> 33);
}

std::vector<Step> steps_by_period(const Profile& profile,
                                  const std::vector<DeviceActivity>& activities) {
  std::vector<std::uint32_t> sequence;
  std::vector<std::int64_t> idle_ns;
  std::vector<std::int64_t> done_ns;  // when all before was
  sequence.reserve(activities.size());
  std::int64_t now_ns = activities.empty() ? 0 : activities.front().start_ns;
  for (const DeviceActivity& activity : activities) {
    sequence.push_back(signature(profile, activity));
    idle_ns.push_back(std::max<std::int64_t>(0, activity.start_ns - now_ns));
    done_ns.push_back(now_ns);
    now_ns = std::max(now_ns, activity.end_ns);
  }
  const std::vector<std::size_t> starts = find_period(sequence, idle_ns);
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    steps.push_back({"period " + std::to_string(i), done_ns[starts[i]], done_ns[starts[i + 1]]});
  }
  return steps;
}

std::int64_t process_on_device(const std::vector<DeviceActivity>& activities,
                               const LaunchCalls& calls) {
  for (const DeviceActivity& activity : activities) {
    const std::optional<ApiRecord> call = calls.find(activity.correlation_id);
    if (call) return process_of(call->global_tid);
  }
  return -1;
}

}  // namespace

Steps find_steps(const Profile& profile, const std::vector<DeviceActivity>& activities,
                 const LaunchCalls& calls, const std::string& range_name) {
  Steps found;
  if (activities.empty()) return found;
  const StepRanges ranges =
      find_step_ranges(profile, range_name, process_on_device(activities, calls));
  if (ranges.empty() && !range_name.empty() && find_step_ranges(profile, range_name).empty()) {
    throw std::invalid_argument("no range of this recording has a name that begins with '" +
                                range_name + "'");
  }
  found.steps = steps_of_ranges(ranges, activities, calls);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::ranges;
    found.how = "ranges named '" + ranges.kind + "'";
    return found;
  }
  found.steps = steps_by_period(profile, activities);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::period;
    found.how = "found by the order of kernels, which repeats itself";
    return found;
  }
  std::int64_t end_ns = activities.front().end_ns;
  for (const DeviceActivity& activity : activities) end_ns = std::max(end_ns, activity.end_ns);
  found.steps = {{"the whole recording", activities.front().start_ns, end_ns}};
  found.how =
      "no ranges that are called steps, and no order of kernels that repeats itself: the "
      "whole recording is taken for one";
  return found;
}

}  // namespace mansard
