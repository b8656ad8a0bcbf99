// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/run_launches.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/steps/typical_step.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// One entry for each kernel signature.
class Signatures {
 public:
  // Rows of one signature differ only in their annotated work, which may differ between two runs.
  SignatureLaunches& of(const KernelRow& row) {
    const auto [entry, is_new] =
        index_.try_emplace({row.name, row.grid, row.block, row.shared_bytes,
                            is_memory_operation(row) ? row.shape : ""},
                           all_.size());
    if (is_new) {
      SignatureLaunches& added = all_.emplace_back();
      added.name = row.name;
      added.short_name = row.short_name;
      if (is_memory_operation(row)) added.short_name += ", " + row.shape;
      added.operation_class = row.operation_class;  // rows are sorted by time, longest first
      added.grid = row.grid;
      added.block = row.block;
      added.shared_bytes = row.shared_bytes;
    }
    return all_[entry->second];
  }

  std::vector<SignatureLaunches> take() {
    std::erase_if(all_, [](const SignatureLaunches& s) { return s.launches == 0; });
    return std::move(all_);
  }

 private:
  using Key = std::tuple<std::string, std::array<std::int32_t, 3>, std::array<std::int32_t, 3>,
                         std::int64_t, std::string>;
  std::vector<SignatureLaunches> all_;
  std::map<Key, std::size_t> index_;
};

// Launches of a signature are collected row by row; statistics need them sorted by start.
struct TimedLaunch {
  std::int64_t start_ns;
  std::optional<double> duration_s;
  std::optional<std::size_t> unit;
};

void add(SignatureLaunches& entry, const TimedLaunch& launch) {
  ++entry.launches;
  if (!launch.duration_s) return;
  entry.durations_s.push_back(*launch.duration_s);
  entry.time_s += *launch.duration_s;
  if (launch.unit) entry.unit_s[*launch.unit] += *launch.duration_s;
}

// The units of a run: its typical steps, numbered across all devices.
class Units {
 public:
  explicit Units(const std::vector<DeviceSteps>& devices) : devices_(devices) {
    for (const DeviceSteps& device : devices) {
      first_.push_back(count_);
      count_ += device.typical.size();
    }
  }
  std::size_t count() const { return count_; }
  std::optional<std::size_t> at(std::int32_t device_id, std::int64_t time_ns) const {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].device_id != device_id) continue;
      const auto step = typical_step_at(devices_[i], time_ns);
      if (!step) return std::nullopt;
      const std::vector<std::size_t>& typical = devices_[i].typical;
      return first_[i] +
             static_cast<std::size_t>(std::lower_bound(typical.begin(), typical.end(), *step) -
                                      typical.begin());
    }
    return std::nullopt;
  }

 private:
  const std::vector<DeviceSteps>& devices_;
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
};

using UnorderedLaunches = std::map<SignatureLaunches*, std::vector<TimedLaunch>>;

// Adds annotated host work; it belongs to the step of the first device in which it starts.
void add_host_ranges(const RunAnalysis& run, const std::vector<DeviceSteps>& devices,
                     const Units& units, bool by_step, Signatures& signatures,
                     UnorderedLaunches& out) {
  const bool any = std::any_of(run.rows.begin(), run.rows.end(), [](const KernelRow& row) {
    return row.kind == RowKind::host_range;
  });
  if (!any) return;
  std::unordered_map<std::size_t, std::int64_t> exclusive_ns;
  for (const AttributedRange& range : attribute_kernels(run.profile).ranges) {
    exclusive_ns[range.nvtx] = range.exclusive_ns;
  }
  for (const KernelRow& row : run.rows) {
    if (row.kind != RowKind::host_range) continue;
    for (const std::size_t i : row.launch_indices) {
      const std::int64_t start_ns = run.profile.nvtx[i].start_ns;
      const auto unit = by_step ? units.at(devices.front().device_id, start_ns) : std::nullopt;
      if (by_step && !unit) continue;
      out[&signatures.of(row)].push_back({start_ns, seconds(exclusive_ns.at(i)), unit});
    }
  }
}

}  // namespace

RunLaunches collect_launches(const RunAnalysis& run, const std::vector<DeviceSteps>& devices) {
  const store::Profile& profile = run.profile;
  RunLaunches out;
  out.by_step = has_typical_steps(devices);
  const Units units(devices);
  Signatures signatures;
  UnorderedLaunches unordered;
  const auto timed = [&](const auto& record) {
    const bool has = store::has_times(record.start_ns, record.end_ns);
    return TimedLaunch{record.start_ns,
                       has ? std::optional(seconds(record.end_ns - record.start_ns)) : std::nullopt,
                       out.by_step ? units.at(record.device_id, record.start_ns) : std::nullopt};
  };
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    SignatureLaunches& entry =
        signatures.of(run.rows[i]);  // references are invalidated by later rows
    if (!entry.row) entry.row = i;
  }
  const auto add_all = [&](const KernelRow& row, const auto& records) {
    std::vector<TimedLaunch>& launches = unordered[&signatures.of(row)];
    for (const std::size_t i : row.launch_indices) {
      const TimedLaunch launch = timed(records[i]);
      if (!out.by_step || launch.unit) launches.push_back(launch);
    }
  };
  for (const KernelRow& row : run.rows) {
    if (row.kind == RowKind::kernel) add_all(row, profile.kernels);
    if (row.kind == RowKind::memcpy) add_all(row, profile.memcpys);
    if (row.kind == RowKind::memset) add_all(row, profile.memsets);
  }
  add_host_ranges(run, devices, units, out.by_step, signatures, unordered);
  for (auto& [entry, launches] : unordered) {
    std::stable_sort(launches.begin(), launches.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    for (const TimedLaunch& launch : launches) add(*entry, launch);
  }
  out.signatures = signatures.take();

  // One entry per graph, because graphs of a program have different durations.
  std::map<std::int32_t, SignatureLaunches> graphs;
  for (const store::GraphRecord& graph : profile.graphs) {
    const TimedLaunch launch = timed(graph);
    if (out.by_step ? !launch.unit.has_value() : run.disturbed.contains(graph.start_ns)) continue;
    add(graphs[graph.graph_exec_id], launch);
  }
  for (auto& [id, launches] : graphs) {
    launches.name = launches.short_name = launches.operation_class = kGraphs;
    out.signatures.push_back(std::move(launches));
  }

  if (!out.by_step) {
    out.busy_s = {run.busy_s};
    out.time_s = {run.span_s};
    return out;
  }
  out.units = static_cast<double>(units.count());
  for (const DeviceSteps& device : devices) {
    for (const std::size_t step : device.typical) {
      const TimeParts& parts = device.parts[step];
      out.time_s.push_back(seconds(parts.total_ns));
      out.busy_s.push_back(seconds(parts.total_ns - parts.idle_total_ns()));
    }
  }
  return out;
}

RunLaunches collect_host_launches(const RunAnalysis& run, const StepRanges& steps) {
  const store::Profile& profile = run.profile;
  const Attribution host = attribute_kernels(profile);
  std::unordered_map<std::size_t, const AttributedRange*> ranges;
  for (const AttributedRange& range : host.ranges) ranges[range.nvtx] = &range;
  RunLaunches out;
  out.by_step = !steps.empty();
  Signatures signatures;
  for (const KernelRow& row : run.rows) signatures.of(row);
  for (const KernelRow& row : run.rows) {
    SignatureLaunches& entry = signatures.of(row);
    for (const std::size_t i : row.launch_indices) {
      const store::NvtxRecord& range = profile.nvtx[i];
      const auto step = step_at(steps.ranges, range.start_ns);
      if (out.by_step && !step) continue;
      add(entry, {range.start_ns, seconds(ranges.at(i)->exclusive_ns), step});
    }
  }
  out.signatures = signatures.take();
  if (!out.by_step) {
    out.busy_s = {run.busy_s};
    out.time_s = {run.span_s};
    return out;
  }
  out.units = static_cast<double>(steps.ranges.size());
  std::vector<std::vector<TimeInterval>> of_step(steps.ranges.size());
  for (const AttributedRange& range : host.ranges) {
    if (const auto step = step_at(steps.ranges, range.start_ns)) {
      of_step[*step].push_back({range.start_ns, range.end_ns});
    }
  }
  for (std::vector<TimeInterval>& intervals : of_step) {
    std::int64_t busy_ns = 0;
    for (const TimeInterval& i : merged(std::move(intervals))) busy_ns += i.end_ns - i.start_ns;
    out.busy_s.push_back(seconds(busy_ns));
  }
  for (std::size_t i = 0; i + 1 < steps.ranges.size(); ++i) {
    out.time_s.push_back(seconds(steps.ranges[i + 1].start_ns - steps.ranges[i].start_ns));
  }
  return out;
}

}  // namespace mansard::analysis
