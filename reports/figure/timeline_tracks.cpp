// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_tracks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analyzer/activity.h"
#include "analyzer/classify/kernel_rules.h"
#include "analyzer/launch_table.h"
#include "analyzer/profile_times.h"
#include "analyzer/steps/device_ranges.h"
#include "reports/figure/host_tracks.h"
#include "reports/figure/timeline_builder.h"

namespace mansard::figure {
namespace {

// CUDA numbers streams within a context, and contexts within a process.
struct StreamId {
  std::int32_t context_id;
  std::int32_t stream_id;
  auto operator<=>(const StreamId&) const = default;
};

using Streams = std::map<StreamId, std::vector<Slice>>;

// The keys of device activities, each created once.
class DeviceNames {
 public:
  DeviceNames(const analysis::RunAnalysis& run, TimelineBuilder& out)
      : run_(run),
        out_(out),
        launches_(analysis::launches_of(run)),
        of_row_(run.rows.size(), kUnset) {}

  std::uint32_t of(const store::KernelRecord& kernel, std::size_t index) {
    const std::size_t row = launches_.row(index);
    if (row != analysis::kNoRow) return of_row(row);
    return once(without_row_, kernel.demangled_name, [&] {
      return out_.add_name(run_.profile.string(kernel.demangled_name), analysis::kOtherClass);
    });
  }
  std::uint32_t of(const store::MemcpyRecord&, std::size_t index) {
    return of_row(launches_.row(launches_.of(analysis::LaunchKind::memcpy, index)));
  }
  std::uint32_t of(const store::MemsetRecord&, std::size_t index) {
    return of_row(launches_.row(launches_.of(analysis::LaunchKind::memset, index)));
  }
  std::uint32_t of(const store::GraphRecord&, std::size_t) {
    return once(others_, 1, [&] { return out_.add_name("graph", kGraphClass); });
  }

 private:
  static constexpr std::uint32_t kUnset = 0xffffffff;

  std::uint32_t of_row(std::size_t index) {
    std::uint32_t& key = of_row_[index];
    if (key == kUnset) {
      const analysis::KernelRow& row = run_.rows[index];
      key = out_.add_name(row.short_name.empty() ? row.name : row.short_name, row.operation_class,
                          static_cast<std::int32_t>(index));
    }
    return key;
  }

  using Keys = std::unordered_map<std::int64_t, std::uint32_t>;

  template <class Make>
  static std::uint32_t once(Keys& keys, std::int64_t id, Make make) {
    const auto [key, is_new] = keys.try_emplace(id, 0);
    if (is_new) key->second = make();
    return key->second;
  }

  const analysis::RunAnalysis& run_;
  TimelineBuilder& out_;
  const analysis::LaunchTable& launches_;
  std::vector<std::uint32_t> of_row_;
  Keys without_row_;
  Keys others_;
};

std::map<std::int32_t, Streams> streams_by_device(const analysis::RunAnalysis& run,
                                                  TimelineBuilder& out) {
  std::map<std::int32_t, Streams> devices;
  DeviceNames names(run, out);
  const analysis::LaunchTable& launches = analysis::launches_of(run);
  const auto add = [&](analysis::LaunchKind kind, const auto& records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& r = records[i];
      const StreamId stream{r.context_id, r.stream_id};
      // A graph may have run only on the host. Records without timestamps are skipped; records that
      // end before they start are counted as left out.
      if (r.device_id < 0 || r.end_ns <= 0) continue;
      devices[r.device_id][stream].push_back(
          {r.start_ns, r.end_ns, names.of(r, i), static_cast<std::uint32_t>(launches.of(kind, i))});
    }
  };
  add(analysis::LaunchKind::kernel, run.profile.kernels);
  add(analysis::LaunchKind::memcpy, run.profile.memcpys);
  add(analysis::LaunchKind::memset, run.profile.memsets);
  add(analysis::LaunchKind::graph, run.profile.graphs);
  return devices;
}

// Sorted by falling busy time. The label includes the context if several contexts of the device
// have a stream with this number.
void add_streams(const std::string& device, std::int32_t device_id, Streams streams,
                 TimelineBuilder& out) {
  std::map<std::int32_t, std::size_t> contexts;  // by stream
  std::vector<std::pair<double, StreamId>> order;
  for (const auto& [id, slices] : streams) {
    ++contexts[id.stream_id];
    double busy_ns = 0;
    for (const Slice& s : slices) busy_ns += std::max(0.0, difference_ns(s.end_ns, s.start_ns));
    order.emplace_back(-busy_ns, id);
  }
  std::ranges::sort(order);
  for (const auto& [negative_ns, id] : order) {
    std::string label = device + "stream " + std::to_string(id.stream_id);
    if (contexts[id.stream_id] > 1) label += " of context " + std::to_string(id.context_id);
    out.add_track(TrackKind::stream, label, device_id, std::move(streams[id]),
                  {id.context_id, id.stream_id});
  }
}

void add_steps(const std::string& device, const analysis::DeviceSteps& steps,
               TimelineBuilder& out) {
  if (steps.origin == analysis::StepOrigin::whole) return;
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const analysis::Step& step = steps.steps[i];
    const bool typical = std::ranges::binary_search(steps.typical, i);
    slices.push_back({step.start_ns, step.end_ns,
                      out.add_name(step.name, typical ? kStepClass : kOtherStepClass)});
  }
  out.add_track(TrackKind::steps, device + "steps", steps.device_id, std::move(slices));
}

std::set<std::string_view> names_of_step_ranges(const std::vector<analysis::DeviceSteps>& steps) {
  std::set<std::string_view> names;
  for (const analysis::DeviceSteps& device : steps) {
    if (device.origin != analysis::StepOrigin::ranges) continue;
    for (const analysis::Step& step : device.steps) names.insert(step.name);
  }
  return names;
}

void add_samples(const store::Profile& profile, const std::string& device, std::int32_t device_id,
                 TimelineBuilder& out) {
  LineTrack clock(device + "SM clock", "Hz", device_id);
  LineTrack power(device + "power", "W", device_id);
  LineTrack memory(device + "memory used", "B", device_id);
  for (const store::DeviceStateSample& s : profile.device_states) {
    if (s.device_id != device_id) continue;
    if (s.sm_clock_hz) clock.add(s.timestamp_ns, *s.sm_clock_hz);
    if (s.power_w) power.add(s.timestamp_ns, *s.power_w);
    if (s.memory_used_bytes) memory.add(s.timestamp_ns, static_cast<double>(*s.memory_used_bytes));
  }
  for (LineTrack* line : {&clock, &power, &memory}) out.add_line(std::move(*line));
  std::map<store::StringId, LineTrack> metrics;
  for (const store::GpuMetricSample& s : profile.gpu_metrics) {
    if (s.device_id != device_id) continue;
    for (const auto& [metric, value] : s.values) {
      metrics.try_emplace(metric, device + profile.string(metric), "", device_id)
          .first->second.add(s.end_ns, value);
    }
  }
  for (auto& [metric, line] : metrics) out.add_line(std::move(line));
}

}  // namespace

Timeline timeline_of(const analysis::RunAnalysis& run,
                     const std::vector<analysis::DeviceSteps>& steps) {
  return timeline_awaiting_steps(run, [&] { return steps; });
}

Timeline timeline_awaiting_steps(
    const analysis::RunAnalysis& run,
    const std::function<std::vector<analysis::DeviceSteps>()>& find_steps) {
  TimelineBuilder out;
  std::map<std::int32_t, Streams> devices = streams_by_device(run, out);
  const std::vector<analysis::DeviceRange> all_ranges =
      analysis::device_ranges(run.profile, analysis::launches_of(run), run.options.step_range);
  const std::vector<analysis::DeviceSteps> steps = find_steps();
  RangeNames range_names(run.profile, out);
  std::map<std::int32_t, std::vector<Slice>> ranges;
  const std::set<std::string_view> step_names = names_of_step_ranges(steps);
  for (const analysis::DeviceRange& r : all_ranges) {
    const store::NvtxRecord& range = run.profile.nvtx[r.nvtx];
    // Step ranges are skipped: steps have their own track.
    if (step_names.contains(run.profile.text(range))) continue;
    ranges[r.device_id].push_back({r.start_ns, r.end_ns, range_names.of(range)});
  }
  for (auto& [device_id, streams] : devices) {
    const std::string device =
        devices.size() > 1 ? "GPU " + std::to_string(device_id) + ' ' : std::string();
    const auto found = std::ranges::find(steps, device_id, &analysis::DeviceSteps::device_id);
    if (found != steps.end()) add_steps(device, *found, out);
    out.add_track(TrackKind::device_ranges, device + "ranges", device_id,
                  std::move(ranges[device_id]));
    add_streams(device, device_id, std::move(streams), out);
    add_samples(run.profile, device, device_id, out);
  }
  add_host_tracks(run.profile, range_names, out);
  Timeline timeline = out.take();
  timeline.zero_ns = analysis::time_zero_ns(run.profile);
  return timeline;
}

}  // namespace mansard::figure
