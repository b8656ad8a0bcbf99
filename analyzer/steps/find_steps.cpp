// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_steps.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "analyzer/steps/step_ranges.h"
#include "collector/store/global_ids.h"
#include "support/hash.h"

namespace mansard::analysis {

namespace {

// An event that find_steps() matches patterns in: device activity, or a launch whose counters were
// read, for which only the start is used.
struct Event {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::optional<std::size_t> call;  // into Profile::api_calls
  std::uint32_t signature;          // the same for equal launches
  bool is_reading;
};

std::uint32_t kernel_signature(store::StringId name, const std::array<std::int32_t, 3>& grid) {
  // 31 bits: larger values are graphs, memcpys and memsets.
  return static_cast<std::uint32_t>(HashBuilder().add(name).add(grid).hash() >> 33);
}

std::uint32_t signature(const store::Profile& profile, const LaunchTable& launches,
                        const DeviceActivity& activity) {
  if (activity.kind == ActivityKind::memcpy || activity.kind == ActivityKind::memset) {
    return 0xffffffffu - static_cast<std::uint32_t>(activity.kind);
  }
  const std::size_t record = launches.record(activity.launch);
  if (activity.kind == ActivityKind::graph) {
    return 0x80000000u | static_cast<std::uint32_t>(profile.graphs[record].graph_exec_id);
  }
  const store::KernelRecord& kernel = profile.kernels[record];
  return kernel_signature(kernel.demangled_name, kernel.grid);
}

std::vector<Event> events_of(const store::Profile& profile, const LaunchTable& launches,
                             const std::vector<DeviceActivity>& activities,
                             std::int32_t device_id) {
  std::vector<Event> events;
  events.reserve(activities.size());
  for (const DeviceActivity& a : activities) {
    events.push_back(
        {a.start_ns, a.end_ns, launches.call(a.launch), signature(profile, launches, a), false});
  }
  for (const store::CounterReading* r : readings_in_run(profile)) {
    if (r->device_id != device_id) continue;
    events.push_back({r->start_ns, r->start_ns, launches.calls().find(r->correlation_id),
                      kernel_signature(r->demangled_name, r->grid), true});
  }
  if (events.size() > activities.size()) {
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  }
  return events;
}

// Steps from host ranges: the work launched from the start of a range to the start of the next.
std::vector<Step> steps_of_ranges(const StepRanges& ranges, const std::vector<Event>& events,
                                  const store::Profile& profile) {
  const std::size_t count = ranges.ranges.size();
  std::vector<std::int64_t> last_end_ns(count, INT64_MIN);
  std::vector<std::int64_t> first_start_ns(count, INT64_MAX);
  std::vector<std::int64_t> readings(count, 0);
  std::int64_t before_ns = INT64_MIN;  // the end of what was launched before the first step
  for (const Event& event : events) {
    const std::int64_t at_ns =
        event.call ? profile.api_calls[*event.call].start_ns : event.start_ns;
    const auto after = std::upper_bound(
        ranges.ranges.begin(), ranges.ranges.end(), at_ns,
        [](std::int64_t time_ns, const Step& range) { return time_ns < range.start_ns; });
    if (after == ranges.ranges.begin()) {
      before_ns = std::max(before_ns, event.end_ns);
      continue;
    }
    if (after == ranges.ranges.end() && at_ns > ranges.ranges.back().end_ns) continue;  // later
    const std::size_t step = static_cast<std::size_t>(after - ranges.ranges.begin()) - 1;
    last_end_ns[step] = std::max(last_end_ns[step], event.end_ns);
    first_start_ns[step] = std::min(first_start_ns[step], event.start_ns);
    readings[step] += event.is_reading ? 1 : 0;
  }
  std::vector<Step> steps;
  std::int64_t now_ns = INT64_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    if (last_end_ns[i] == INT64_MIN) continue;  // no work on this device
    if (steps.empty()) {
      // Includes the idle time before the first launch of the first step.
      now_ns = std::min(std::max(ranges.ranges[i].start_ns, before_ns),
                        std::max(first_start_ns[i], before_ns));
    }
    if (last_end_ns[i] <= now_ns) continue;  // ended before the previous step
    steps.push_back({ranges.ranges[i].name, now_ns, last_end_ns[i], readings[i]});
    now_ns = last_end_ns[i];
  }
  return steps;
}

std::vector<Step> steps_by_period(const std::vector<Event>& events) {
  std::vector<std::uint32_t> sequence;
  std::vector<std::int64_t> idle_ns;
  std::vector<std::int64_t> done_ns;  // end of all earlier events
  sequence.reserve(events.size());
  std::int64_t now_ns = events.empty() ? 0 : events.front().start_ns;
  bool after_reading = false;
  for (const Event& event : events) {
    sequence.push_back(event.signature);
    // Pauses around a reading are due to the profiler and do not mark the start of a step.
    const bool paused = after_reading || event.is_reading;
    idle_ns.push_back(paused ? 0 : std::max<std::int64_t>(0, event.start_ns - now_ns));
    done_ns.push_back(now_ns);
    now_ns = std::max(now_ns, event.end_ns);
    after_reading = event.is_reading;
  }
  const std::vector<std::size_t> starts = find_period(sequence, idle_ns);
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    steps.push_back({"period " + std::to_string(i), done_ns[starts[i]], done_ns[starts[i + 1]],
                     std::count_if(events.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                                   events.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]),
                                   [](const Event& event) { return event.is_reading; })});
  }
  return steps;
}

std::int64_t process_on_device(const std::vector<Event>& events, const store::Profile& profile) {
  for (const Event& event : events) {
    if (event.call) return store::process_key(profile.api_calls[*event.call].global_tid);
  }
  return -1;
}

}  // namespace

std::vector<const store::CounterReading*> readings_in_run(const store::Profile& profile) {
  std::set<std::pair<std::int32_t, std::int64_t>> recorded;
  std::vector<const store::CounterReading*> readings;
  for (const store::CounterReading& r : profile.counter_readings) {
    if (r.start_ns > 0 && r.correlation_id != 0) readings.push_back(&r);
  }
  if (readings.empty()) return readings;
  std::set<std::pair<std::int32_t, std::int64_t>> of_readings;
  for (const store::CounterReading* r : readings)
    of_readings.emplace(r->device_id, r->correlation_id);
  for (const store::KernelRecord& kernel : profile.kernels) {
    const std::pair key(kernel.device_id, kernel.correlation_id);
    if (of_readings.contains(key)) recorded.insert(key);
  }
  std::erase_if(readings, [&](const store::CounterReading* r) {
    return recorded.contains({r->device_id, r->correlation_id});
  });
  std::stable_sort(readings.begin(), readings.end(),
                   [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
  return readings;
}

Steps find_steps(const store::Profile& profile, const std::vector<DeviceActivity>& activities,
                 const LaunchTable& launches, std::int32_t device_id,
                 const std::string& range_name) {
  Steps found;
  found.device_id = device_id;
  const std::vector<Event> events = events_of(profile, launches, activities, device_id);
  if (events.empty()) return found;
  const StepRanges ranges =
      find_step_ranges(profile, range_name, process_on_device(events, profile));
  if (ranges.empty() && !range_name.empty() && find_step_ranges(profile, range_name).empty()) {
    throw std::invalid_argument("no range name in this profile starts with '" + range_name + "'");
  }
  found.steps = steps_of_ranges(ranges, events, profile);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::ranges;
    found.how = "ranges named '" + ranges.kind + "'";
    return found;
  }
  found.steps = steps_by_period(events);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::period;
    found.how = "found by a repeating sequence of kernels";
    return found;
  }
  std::int64_t end_ns = events.front().end_ns;
  for (const Event& event : events) end_ns = std::max(end_ns, event.end_ns);
  found.steps = {{"whole profile", events.front().start_ns, end_ns,
                  std::count_if(events.begin(), events.end(),
                                [](const Event& event) { return event.is_reading; })}};
  found.how =
      "no step markers or repeating kernel pattern found; the whole profile is shown as one step";
  return found;
}

std::vector<Steps> find_steps_of_devices(const store::Profile& profile, const LaunchTable& launches,
                                         const std::string& range_name) {
  std::vector<Steps> all;
  for (const std::int32_t device_id : active_devices(profile)) {
    Steps found = find_steps(profile, device_activities(profile, launches, device_id), launches,
                             device_id, range_name);
    if (!found.steps.empty()) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace mansard::analysis
