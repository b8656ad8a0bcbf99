// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/run_launches.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/activity.h"
#include "analyzer/steps/launch_calls.h"

namespace mansard {

namespace {

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

// When each step was busy, by what was launched in it and not by when it ran.
std::vector<double> busy_by_step(const Profile& profile, const StepRanges& steps,
                                 const LaunchCalls& launched) {
  std::vector<std::vector<Interval>> intervals(steps.ranges.size());
  const auto add_all = [&](const auto& records) {
    for (const auto& record : records) {
      if (!has_times(record.start_ns, record.end_ns)) continue;
      const auto step = step_at(steps, launched.launch_ns(record.correlation_id, record.start_ns));
      if (step) intervals[*step].emplace_back(record.start_ns, record.end_ns);
    }
  };
  add_all(profile.kernels);
  add_all(profile.memcpys);
  add_all(profile.memsets);
  std::vector<double> busy_s;
  for (std::vector<Interval>& of_step : intervals) busy_s.push_back(union_s(of_step));
  return busy_s;
}

std::vector<double> periods(const StepRanges& steps) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < steps.ranges.size(); ++i) {
    out.push_back(1e-9 *
                  static_cast<double>(steps.ranges[i + 1].start_ns - steps.ranges[i].start_ns));
  }
  if (out.empty()) {
    const StepRange& only = steps.ranges.front();
    out.push_back(1e-9 * static_cast<double>(only.end_ns - only.start_ns));
  }
  return out;
}

// The rows of one signature differ in their kind of work; two runs need not be annotated alike.
class BySignature {
 public:
  explicit BySignature(std::vector<SignatureLaunches>& out) : out_(out) {}

  SignatureLaunches& of(const KernelRow& row) {
    const auto [entry, is_new] =
        index_.try_emplace({row.name, row.grid, row.block, row.shared_bytes}, out_.size());
    if (is_new) {
      SignatureLaunches& added = out_.emplace_back();
      added.name = row.name;
      added.short_name = row.short_name;
      added.operation_class = row.operation_class;  // rows come by falling time
      added.grid = row.grid;
      added.block = row.block;
      added.shared_bytes = row.shared_bytes;
    }
    return out_[entry->second];
  }

 private:
  using Key = std::tuple<std::string, std::array<std::int32_t, 3>, std::array<std::int32_t, 3>,
                         std::int64_t>;
  std::vector<SignatureLaunches>& out_;
  std::map<Key, std::size_t> index_;
};

}  // namespace

RunLaunches collect_launches(const RunAnalysis& run, const StepRanges& steps) {
  RunLaunches out;
  const Profile& profile = run.profile;
  const bool by_step = !steps.empty();
  const Profile no_calls;
  const LaunchCalls launched(by_step ? profile : no_calls);

  BySignature by_signature(out.signatures);
  std::vector<std::vector<std::size_t>> kernels_of;
  for (const KernelRow& row : run.rows) {
    if (row.target == Target::host) {
      if (by_step) continue;  // its ranges are not held against steps
      SignatureLaunches& entry = by_signature.of(row);
      entry.launches += row.launches;
      entry.time_s += row.time_s;
      kernels_of.resize(out.signatures.size());
      continue;
    }
    SignatureLaunches& entry = by_signature.of(row);
    kernels_of.resize(out.signatures.size());
    std::vector<std::size_t>& kernels =
        kernels_of[static_cast<std::size_t>(&entry - out.signatures.data())];
    kernels.insert(kernels.end(), row.launch_indices.begin(), row.launch_indices.end());
  }
  for (std::size_t i = 0; i < kernels_of.size(); ++i) {
    SignatureLaunches& entry = out.signatures[i];
    std::sort(kernels_of[i].begin(), kernels_of[i].end());
    for (const std::size_t k : kernels_of[i]) {
      const KernelRecord& kernel = profile.kernels[k];
      if (by_step && !step_at(steps, launched.launch_ns(kernel.correlation_id, kernel.start_ns)))
        continue;
      ++entry.launches;
      if (!has_times(kernel.start_ns, kernel.end_ns)) continue;
      entry.durations_s.push_back(1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns));
      entry.time_s += entry.durations_s.back();
    }
  }
  std::erase_if(out.signatures, [](const SignatureLaunches& s) { return s.launches == 0; });

  if (by_step) {
    out.units = static_cast<double>(steps.ranges.size());
    out.busy_s = busy_by_step(profile, steps, launched);
    out.period_s = periods(steps);
  } else {
    out.busy_s = {run.busy_s};
    out.period_s = {run.span_s};
  }
  return out;
}

}  // namespace mansard
