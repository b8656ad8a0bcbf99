// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_steps.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "analyzer/steps/call_kinds.h"
#include "analyzer/steps/disturbed_time.h"
#include "analyzer/steps/repetition.h"
#include "analyzer/steps/replica_sync_times.h"
#include "analyzer/steps/step_ranges.h"
#include "collector/store/global_ids.h"
#include "support/hash.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// An event that find_steps() matches patterns in: device activity, or a launch whose counters were
// read, for which only the start is used.
struct Event {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::optional<std::size_t> call;  // into Profile::api_calls
  std::uint32_t signature;          // the same for equal launches
  store::StringId name;             // of a kernel
  ActivityKind kind;
  bool copies_to_or_from_host;
  bool is_reading;
};

std::uint32_t kernel_signature(store::StringId name, const std::array<std::int32_t, 3>& grid) {
  // 31 bits: larger values are graphs, memcpys and memsets.
  return static_cast<std::uint32_t>(HashBuilder().add(name).add(grid).hash() >> 33);
}

std::uint32_t signature(const store::Profile& profile, const LaunchTable& launches,
                        const DeviceActivity& activity) {
  const std::size_t record = launches.record(activity.launch);
  switch (activity.kind) {
    case ActivityKind::memcpy:
      return 0xffffff00u | static_cast<std::uint8_t>(profile.memcpys[record].copy_kind);
    case ActivityKind::memset:
      return 0xfffffe00u;
    case ActivityKind::graph:
      return 0x80000000u | static_cast<std::uint32_t>(profile.graphs[record].graph_exec_id);
    case ActivityKind::communication:
    case ActivityKind::compute:
      break;
  }
  const store::KernelRecord& kernel = profile.kernels[record];
  return kernel_signature(kernel.demangled_name, kernel.grid);
}

bool copies_to_or_from_host(const store::Profile& profile, const LaunchTable& launches,
                            const DeviceActivity& activity) {
  constexpr std::int32_t kHostToDevice = 1;  // ENUM_CUDA_MEMCPY_OPER
  constexpr std::int32_t kDeviceToHost = 2;
  if (activity.kind != ActivityKind::memcpy) return false;
  const std::int32_t kind = profile.memcpys[launches.record(activity.launch)].copy_kind;
  return kind == kHostToDevice || kind == kDeviceToHost;
}

store::StringId name_of(const store::Profile& profile, const LaunchTable& launches,
                        const DeviceActivity& activity) {
  if (activity.kind != ActivityKind::compute) return 0;
  return profile.kernels[launches.record(activity.launch)].demangled_name;
}

std::vector<Event> events_of(const store::Profile& profile, const LaunchTable& launches,
                             const std::vector<DeviceActivity>& activities,
                             std::int32_t device_id) {
  std::vector<Event> events;
  events.reserve(activities.size());
  for (const DeviceActivity& a : activities) {
    events.push_back({a.start_ns, a.end_ns, launches.call(a.launch),
                      signature(profile, launches, a), name_of(profile, launches, a), a.kind,
                      copies_to_or_from_host(profile, launches, a), false});
  }
  for (const store::CounterReading* r : readings_in_run(profile)) {
    if (r->device_id != device_id) continue;
    events.push_back({r->start_ns, r->start_ns, launches.calls().find(r->correlation_id),
                      kernel_signature(r->demangled_name, r->grid), r->demangled_name,
                      ActivityKind::compute, false, true});
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

// Start times of the calls that wait for device work, ascending.
std::vector<std::int64_t> synchronization_times(const store::Profile& profile) {
  CallKinds kinds(profile);
  std::vector<std::int64_t> times;
  for (const store::ApiRecord& call : profile.api_calls) {
    if (kinds.of(call) == CallKind::synchronize) times.push_back(call.start_ns);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// The name up to its template arguments, or to the tile sizes within it.
std::string_view family_of(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  const std::size_t anonymous = name.find(kAnonymous);
  const std::size_t from = anonymous == std::string_view::npos ? 0 : anonymous + kAnonymous.size();
  return name.substr(0, name.find_first_of("<(0123456789", from));
}

// `by_family`: kernels of one family are equal, as in a program whose batches differ in length:
// their grids do, and libraries choose other variants.
std::vector<SequenceItem> sequence_of(const std::vector<Event>& events,
                                      const store::Profile& profile, bool by_family) {
  std::unordered_map<store::StringId, std::uint32_t> families;
  const auto family = [&](store::StringId name) {
    const auto [known, is_new] = families.try_emplace(name);
    if (is_new) {
      HashBuilder hash;
      for (const char c : family_of(profile.string(name))) hash.add(static_cast<unsigned char>(c));
      known->second = static_cast<std::uint32_t>(hash.hash() >> 33);
    }
    return known->second;
  };
  const std::vector<std::int64_t> waits = synchronization_times(profile);
  std::vector<SequenceItem> sequence;
  sequence.reserve(events.size());
  std::int64_t now_ns = events.empty() ? 0 : events.front().start_ns;
  std::int64_t previous_call_ns = INT64_MAX;
  bool after_reading = false;
  for (const Event& event : events) {
    SequenceItem item;
    item.signature =
        by_family && event.kind == ActivityKind::compute ? family(event.name) : event.signature;
    item.busy_ns = event.end_ns - event.start_ns;
    // Pauses around a reading are due to the profiler and do not mark the start of a step.
    const bool paused = after_reading || event.is_reading;
    item.idle_before_ns = paused ? 0 : std::max<std::int64_t>(0, event.start_ns - now_ns);
    item.is_graph = event.kind == ActivityKind::graph;
    // Layers are launched one after the other. The main loop waits for the device, copies a batch
    // or a loss, or launches a graph.
    item.marks_loop = item.is_graph || event.copies_to_or_from_host;
    if (event.call) {
      const std::int64_t call_ns = profile.api_calls[*event.call].start_ns;
      const auto wait = std::lower_bound(waits.begin(), waits.end(), previous_call_ns);
      item.marks_loop = item.marks_loop || (wait != waits.end() && *wait < call_ns);
      previous_call_ns = call_ns;
    }
    sequence.push_back(item);
    now_ns = std::max(now_ns, event.end_ns);
    after_reading = event.is_reading;
  }
  return sequence;
}

std::string how_repeated(const Repetition& found) {
  const std::size_t steps = found.bounds.size() - 1;
  std::string how = "found by repetition: ";
  if (found.equal < steps) how += format_whole(static_cast<std::int64_t>(found.equal)) + " of ";
  how += format_number_of(static_cast<std::int64_t>(steps), "step");
  return how + " have the same " + format_whole(static_cast<std::int64_t>(found.items)) +
         " launches";
}

// The repetitions of equal launches, or of kernels of equal families where these repeat more often.
std::optional<Repetition> repetition_of(const std::vector<Event>& events,
                                        const store::Profile& profile) {
  constexpr double kMinEqual = 0.8;        // a batch of another length may need a kernel less
  constexpr std::size_t kManyKernels = 8;  // fewer families could be those of any program
  constexpr std::size_t kManySteps = 20;   // more than batches have lengths
  std::optional<Repetition> by_launch = find_repetition(sequence_of(events, profile, false));
  if (by_launch && by_launch->equal > kManySteps && by_launch->covered > 0.95) return by_launch;
  std::optional<Repetition> by_family =
      find_repetition(sequence_of(events, profile, true), kMinEqual);
  if (!by_launch) return by_family;
  const bool shorter = by_family && 3 * by_family->items < 2 * by_launch->items;
  const bool sure = by_family && by_family->different >= kManyKernels && by_family->covered > 0.8;
  return shorter && sure ? by_family : by_launch;
}

// Steps of a program without step markers.
Steps steps_by_repetition(const std::vector<Event>& events, const store::Profile& profile) {
  Steps steps;
  const std::optional<Repetition> found = repetition_of(events, profile);
  if (!found) return steps;
  std::vector<std::int64_t> done_ns(events.size() + 1);  // end of all earlier events
  done_ns[0] = events.front().start_ns;
  for (std::size_t i = 0; i < events.size(); ++i) {
    done_ns[i + 1] = std::max(done_ns[i], events[i].end_ns);
  }
  steps.origin = StepOrigin::period;
  steps.how = how_repeated(*found);
  for (std::size_t i = 0; i + 1 < found->bounds.size(); ++i) {
    const std::size_t begin = found->bounds[i];
    const std::size_t end = found->bounds[i + 1];
    steps.steps.push_back({"step " + std::to_string(i), done_ns[begin], done_ns[end],
                           std::count_if(events.begin() + static_cast<std::ptrdiff_t>(begin),
                                         events.begin() + static_cast<std::ptrdiff_t>(end),
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

void count_pauses(const store::Profile& profile, std::vector<Step>& steps) {
  for (const TimeInterval& pause : counter_pauses(profile)) {
    for (Step& step : steps) {
      if (pause.start_ns < step.end_ns && pause.end_ns > step.start_ns) ++step.readings;
    }
  }
}

}  // namespace

std::vector<std::optional<std::size_t>> records_of_readings(const store::Profile& profile) {
  std::vector<std::optional<std::size_t>> records(profile.counter_readings.size());
  if (records.empty()) return records;
  std::map<std::pair<std::int32_t, std::int64_t>, std::optional<std::size_t>> by_launch;
  for (const store::CounterReading& r : profile.counter_readings) {
    if (r.correlation_id != 0) by_launch[{r.device_id, r.correlation_id}];
  }
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    const auto read = by_launch.find({kernel.device_id, kernel.correlation_id});
    if (read != by_launch.end()) read->second = i;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const store::CounterReading& r = profile.counter_readings[i];
    if (r.correlation_id != 0) records[i] = by_launch.at({r.device_id, r.correlation_id});
  }
  return records;
}

std::vector<const store::CounterReading*> readings_in_run(const store::Profile& profile) {
  const std::vector<std::optional<std::size_t>> records = records_of_readings(profile);
  std::vector<const store::CounterReading*> readings;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const store::CounterReading& r = profile.counter_readings[i];
    if (r.start_ns > 0 && r.correlation_id != 0 && !records[i]) readings.push_back(&r);
  }
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
    found.how = describe(ranges);
    return found;
  }
  found = steps_by_repetition(events, profile);
  found.device_id = device_id;
  if (!found.steps.empty()) return found;
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
  const ReplicaSyncRanges replica_sync(profile);
  for (const std::int32_t device_id : active_devices(profile)) {
    std::vector<DeviceActivity> activities = device_activities(profile, launches, device_id);
    replica_sync.take_from(activities, profile, launches);  // it runs beside the steps
    Steps found = find_steps(profile, activities, launches, device_id, range_name);
    count_pauses(profile, found.steps);
    if (!found.steps.empty()) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace mansard::analysis
