// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/run_launches.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/compare/rank_steps.h"
#include "analyzer/steps/launch_calls.h"

namespace mansard {

namespace {

constexpr std::int32_t kHost = -1;

using Interval = std::pair<std::int64_t, std::int64_t>;

double union_s(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t busy_ns = 0;
  std::int64_t end_ns = 0;
  for (const auto& [start, end] : intervals) {
    busy_ns += std::max<std::int64_t>(0, end - std::max(start, end_ns));
    end_ns = std::max(end_ns, end);
  }
  return static_cast<double>(busy_ns) * 1e-9;
}

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

std::vector<double> periods(const StepRanges& steps) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < steps.ranges.size(); ++i) {
    out.push_back(seconds(steps.ranges[i + 1].start_ns - steps.ranges[i].start_ns));
  }
  return out;
}

class LaunchCollector {
 public:
  LaunchCollector(const RunAnalysis& run, const StepRanges& steps)
      : run_(run),
        profile_(run.profile),
        steps_(steps),
        by_step_(!steps.empty()),
        launched_(by_step_ ? profile_ : no_calls_),
        rank_steps_(profile_, launched_, steps) {
    const bool has_host_rows = std::any_of(run.rows.begin(), run.rows.end(), [](const auto& row) {
      return row.target == Target::host;
    });
    if (has_host_rows || !has_device_activity(profile_)) host_ = attribute_kernels(profile_);
  }

  RunLaunches collect() {
    add_rows();
    add_graphs();
    RunLaunches out;
    out.by_step = by_step_;
    if (by_step_) {
      out.units = static_cast<double>(steps_.ranges.size());
      out.busy_s = busy_by_step();
      out.period_s = periods(steps_);
    } else {
      out.busy_s = {run_.busy_s};
      out.period_s = {run_.span_s};
    }
    std::erase_if(signatures_, [](const SignatureLaunches& s) { return s.launches == 0; });
    out.signatures = std::move(signatures_);
    return out;
  }

 private:
  // The rows of one signature differ in their kind of work; two runs need not be annotated alike.
  std::size_t signature_of(const KernelRow& row) {
    const auto [entry, is_new] =
        index_.try_emplace({row.name, row.grid, row.block, row.shared_bytes}, signatures_.size());
    if (is_new) {
      SignatureLaunches& added = signatures_.emplace_back();
      added.name = row.name;
      added.short_name = row.short_name;
      added.operation_class = row.operation_class;  // rows come by falling time
      added.grid = row.grid;
      added.block = row.block;
      added.shared_bytes = row.shared_bytes;
    }
    return entry->second;
  }

  void add_rows() {
    std::vector<std::vector<std::size_t>> kernels_of;
    std::vector<std::vector<std::size_t>> ranges_of;  // of the host
    for (const KernelRow& row : run_.rows) {
      const std::size_t signature = signature_of(row);
      kernels_of.resize(signatures_.size());
      ranges_of.resize(signatures_.size());
      auto& launches = row.target == Target::host ? ranges_of[signature] : kernels_of[signature];
      launches.insert(launches.end(), row.launch_indices.begin(), row.launch_indices.end());
    }
    std::unordered_map<std::size_t, std::int64_t> exclusive_ns;  // by range
    for (const AttributedRange& range : host_.ranges) exclusive_ns[range.nvtx] = range.exclusive_ns;
    for (std::size_t i = 0; i < signatures_.size(); ++i) {
      std::sort(kernels_of[i].begin(), kernels_of[i].end());
      for (const std::size_t k : kernels_of[i]) add_device(signatures_[i], profile_.kernels[k]);
      std::sort(ranges_of[i].begin(), ranges_of[i].end());
      for (const std::size_t r : ranges_of[i]) {
        add(signatures_[i], step_at(steps_, profile_.nvtx[r].start_ns),
            seconds(exclusive_ns.at(r)));
      }
    }
  }

  // An entry for each graph: graphs of a program are of different lengths.
  void add_graphs() {
    std::map<std::int32_t, SignatureLaunches> graphs;
    for (const GraphRecord& graph : profile_.graphs) {
      add_device(graphs[graph.graph_exec_id], graph);
    }
    for (auto& [id, launches] : graphs) {
      launches.name = launches.short_name = launches.operation_class = kGraphs;
      signatures_.push_back(std::move(launches));
    }
  }

  template <class Record>
  void add_device(SignatureLaunches& entry, const Record& record) {
    const bool timed = has_times(record.start_ns, record.end_ns);
    add(entry, rank_steps_.step_of(record),
        timed ? std::optional(seconds(record.end_ns - record.start_ns)) : std::nullopt);
  }

  void add(SignatureLaunches& entry, std::optional<std::size_t> step,
           std::optional<double> duration_s) const {
    if (by_step_ && !step) return;
    ++entry.launches;
    if (!duration_s) return;
    entry.durations_s.push_back(*duration_s);
    entry.time_s += *duration_s;
    if (step) entry.step_s[*step] += *duration_s;
  }

  // By what was launched in a step and not by when it ran; the mean of the devices. Of a run
  // without a device by its annotated ranges.
  std::vector<double> busy_by_step() const {
    std::map<std::int32_t, std::vector<std::vector<Interval>>> devices;
    const auto add = [&](std::int32_t device, std::optional<std::size_t> step,
                         std::int64_t start_ns, std::int64_t end_ns) {
      if (!step || *step >= steps_.ranges.size()) return;  // a rank may have taken more steps
      auto [intervals, is_new] = devices.try_emplace(device, steps_.ranges.size());
      intervals->second[*step].emplace_back(start_ns, end_ns);
    };
    const auto add_all = [&](const auto& records) {
      for (const auto& r : records) {
        if (!has_times(r.start_ns, r.end_ns)) continue;
        add(r.device_id, rank_steps_.step_of(r), r.start_ns, r.end_ns);
      }
    };
    if (has_device_activity(profile_)) {
      add_all(profile_.kernels);
      add_all(profile_.memcpys);
      add_all(profile_.memsets);
      add_all(profile_.graphs);
    } else {
      for (const AttributedRange& r : host_.ranges) {
        add(kHost, step_at(steps_, r.start_ns), r.start_ns, r.end_ns);
      }
    }
    std::vector<double> busy_s(steps_.ranges.size());
    for (auto& [device, intervals] : devices) {
      for (std::size_t step = 0; step < intervals.size(); ++step) {
        busy_s[step] += union_s(intervals[step]) / static_cast<double>(devices.size());
      }
    }
    return busy_s;
  }

  using Key = std::tuple<std::string, std::array<std::int32_t, 3>, std::array<std::int32_t, 3>,
                         std::int64_t>;
  const RunAnalysis& run_;
  const Profile& profile_;
  const StepRanges& steps_;
  const Profile no_calls_;
  bool by_step_;
  LaunchCalls launched_;
  RankSteps rank_steps_;
  Attribution host_;
  std::vector<SignatureLaunches> signatures_;
  std::map<Key, std::size_t> index_;
};

}  // namespace

RunLaunches collect_launches(const RunAnalysis& run, const StepRanges& steps) {
  return LaunchCollector(run, steps).collect();
}

}  // namespace mansard
