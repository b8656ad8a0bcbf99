// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_times.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "analyzer/activity.h"
#include "analyzer/rows_of_kernels.h"
#include "analyzer/steps/collective_arrivals.h"
#include "analyzer/steps/critical_path.h"

namespace mansard {

namespace {

constexpr double kTypical = 0.1;  // off the median at most
constexpr std::string_view kCommunication = "collective";

std::vector<DeviceActivity> activities_of(const RunAnalysis& run,
                                          const std::vector<std::size_t>& rows,
                                          std::int32_t device_id) {
  const Profile& profile = run.profile;
  std::vector<DeviceActivity> all;
  const auto add = [&](const auto& records, auto kind_of, auto row_of) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& r = records[i];
      if (r.device_id != device_id || !has_times(r.start_ns, r.end_ns)) continue;
      all.push_back({r.start_ns, r.end_ns, r.correlation_id, static_cast<std::uint32_t>(i),
                     row_of(i), kind_of(i)});
    }
  };
  const auto no_row = [](std::size_t) { return std::int32_t{-1}; };
  add(
      profile.kernels,
      [&](std::size_t i) {
        const std::size_t row = rows[i];
        const bool communicates = row != kNoRow && run.rows[row].operation_class == kCommunication;
        return communicates ? ActivityKind::communication : ActivityKind::compute;
      },
      [&](std::size_t i) { return rows[i] == kNoRow ? -1 : static_cast<std::int32_t>(rows[i]); });
  add(
      profile.memcpys, [](std::size_t) { return ActivityKind::copy; }, no_row);
  add(
      profile.memsets, [](std::size_t) { return ActivityKind::fill; }, no_row);
  add(
      profile.graphs, [](std::size_t) { return ActivityKind::graph; }, no_row);
  const auto before = [](const DeviceActivity& a, const DeviceActivity& b) {
    return a.start_ns < b.start_ns;
  };
  if (!std::is_sorted(all.begin(), all.end(), before)) {
    std::stable_sort(all.begin(), all.end(), before);
  }
  return all;
}

// Reading counters takes milliseconds a launch: such steps say nothing of the others.
std::vector<std::size_t> undisturbed_steps(const std::vector<Step>& steps, const Profile& profile) {
  std::vector<bool> read(steps.size(), false);
  for (const CounterReading& reading : profile.counter_readings) {
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), reading.start_ns,
                         [](std::int64_t time, const Step& step) { return time < step.start_ns; });
    if (after == steps.begin()) continue;
    const std::size_t step = static_cast<std::size_t>(after - steps.begin()) - 1;
    if (reading.start_ns < steps[step].end_ns) read[step] = true;
  }
  std::vector<std::size_t> undisturbed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!read[i]) undisturbed.push_back(i);
  }
  if (!undisturbed.empty()) return undisturbed;
  std::vector<std::size_t> all(steps.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::size_t> typical_steps(const std::vector<Step>& steps, const Profile& profile) {
  if (steps.empty()) return {};
  const std::vector<std::size_t> candidates = undisturbed_steps(steps, profile);
  std::vector<std::int64_t> durations;
  for (const std::size_t i : candidates) durations.push_back(steps[i].duration_ns());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  const double median_ns = static_cast<double>(*middle);
  std::vector<std::size_t> typical;
  for (const std::size_t i : candidates) {
    const double off_ns = static_cast<double>(steps[i].duration_ns()) - median_ns;
    if (std::abs(off_ns) <= kTypical * median_ns) typical.push_back(i);
  }
  return typical;
}

void add_parts(TimeParts& sum, const TimeParts& parts) {
  sum.total_ns += parts.total_ns;
  for (const auto& [name, ns] : parts.class_ns) sum.class_ns[name] += ns;
  sum.communication_ns += parts.communication_ns;
  sum.arrival_ns += parts.arrival_ns;
  sum.copy_ns += parts.copy_ns;
  sum.graph_ns += parts.graph_ns;
  for (std::size_t i = 0; i < kIdleCauses; ++i) sum.idle_ns[i] += parts.idle_ns[i];
  sum.communicating_ns += parts.communicating_ns;
}

// Takes the slices of all steps one after the other, and deals them out.
class Dealer {
 public:
  Dealer(const RunAnalysis& run, const LaunchCalls& calls, const IdleCauses& causes,
         const CollectiveArrivals& arrivals, DeviceSteps& out)
      : run_(run), calls_(calls), causes_(causes), arrivals_(arrivals), out_(out) {
    out_.parts.resize(out_.steps.steps.size());
    is_typical_.resize(out_.parts.size());
    for (const std::size_t step : out_.typical) is_typical_[step] = true;
  }

  // Slices know nothing of steps: one that reaches into the next is cut.
  void take(TimeSlice slice) {
    const std::vector<Step>& steps = out_.steps.steps;
    while (slice.start_ns < slice.end_ns) {
      while (slice.start_ns >= steps[step_].end_ns) ++step_;
      TimeSlice part = slice;
      part.end_ns = std::min(slice.end_ns, steps[step_].end_ns);
      deal(part);
      slice.start_ns = part.end_ns;
    }
  }

  // Deals out the links of a typical step's critical path.
  void take_path(const std::vector<PathLink>& links) {
    TimeParts& parts = out_.critical_parts;
    for (const PathLink& link : links) {
      parts.total_ns += link.end_ns - link.start_ns;
      if (link.activity == nullptr) {
        add_idle(link.start_ns, link.end_ns, link.next, parts);
      } else {
        add_activity(link.start_ns, link.end_ns, *link.activity, parts);
      }
    }
  }

  void count_launch(const DeviceActivity& activity) {
    const std::vector<Step>& steps = out_.steps.steps;
    if (activity.row < 0 || activity.start_ns < steps.front().start_ns) return;
    while (counted_ < steps.size() && activity.start_ns >= steps[counted_].end_ns) ++counted_;
    if (counted_ < steps.size() && is_typical_[counted_]) ++out_.rows[activity.row].launches;
  }

 private:
  void deal(const TimeSlice& slice) {
    const std::int64_t ns = slice.end_ns - slice.start_ns;
    TimeParts& parts = out_.parts[step_];
    parts.total_ns += ns;
    if (slice.communicates) parts.communicating_ns += ns;
    if (slice.activity == nullptr) {
      add_idle(slice.start_ns, slice.end_ns, slice.next, parts);
      return;
    }
    const DeviceActivity& owner = *slice.activity;
    const std::int64_t waited_before_ns = parts.arrival_ns;
    add_activity(slice.start_ns, slice.end_ns, owner, parts);
    if (owner.row < 0 || !is_typical_[step_]) return;
    out_.rows[owner.row].owned_ns += ns;
    out_.rows[owner.row].arrival_ns += parts.arrival_ns - waited_before_ns;
  }

  void add_activity(std::int64_t start_ns, std::int64_t end_ns, const DeviceActivity& activity,
                    TimeParts& parts) const {
    const std::int64_t ns = end_ns - start_ns;
    switch (activity.kind) {
      case ActivityKind::copy:
      case ActivityKind::fill:
        parts.copy_ns += ns;
        return;
      case ActivityKind::communication: {
        const std::optional<std::int64_t> last_ns = arrivals_.of(activity.index);
        const std::int64_t waits_ns =
            last_ns ? std::clamp<std::int64_t>(*last_ns - start_ns, 0, ns) : 0;
        parts.arrival_ns += waits_ns;
        parts.communication_ns += ns - waits_ns;
        return;
      }
      case ActivityKind::graph:
        parts.graph_ns += ns;
        return;
      case ActivityKind::compute:
        parts.class_ns[class_of(activity)] += ns;
        return;
    }
  }

  void add_idle(std::int64_t start_ns, std::int64_t end_ns, const DeviceActivity* next,
                TimeParts& parts) const {
    std::optional<ApiRecord> call;
    if (next != nullptr) call = calls_.find(next->correlation_id);
    causes_.add(start_ns, end_ns, call, parts.idle_ns);
  }

  const std::string& class_of(const DeviceActivity& kernel) const {
    static const std::string kOther = "other";
    return kernel.row < 0 ? kOther
                          : run_.rows[static_cast<std::size_t>(kernel.row)].operation_class;
  }

  const RunAnalysis& run_;
  const LaunchCalls& calls_;
  const IdleCauses& causes_;
  const CollectiveArrivals& arrivals_;
  DeviceSteps& out_;
  std::vector<bool> is_typical_;
  std::size_t step_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace

std::int64_t TimeParts::idle_total_ns() const {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), std::int64_t{0});
}

double DeviceSteps::mean_step_s() const {
  return typical.empty() ? 0
                         : 1e-9 * static_cast<double>(typical_parts.total_ns) /
                               static_cast<double>(typical.size());
}

std::vector<DeviceSteps> step_times(const RunAnalysis& run, const std::string& range_name) {
  std::set<std::int32_t> devices;
  for (const KernelRecord& kernel : run.profile.kernels) devices.insert(kernel.device_id);
  for (const GraphRecord& graph : run.profile.graphs) devices.insert(graph.device_id);
  if (devices.empty()) return {};
  const std::vector<std::size_t> rows = rows_of_kernels(run);
  const LaunchCalls calls(run.profile);
  const IdleCauses causes(run.profile);
  const CollectiveArrivals arrivals(run, kCommunication);
  std::vector<DeviceSteps> all;
  for (const std::int32_t device_id : devices) {
    const std::vector<DeviceActivity> activities = activities_of(run, rows, device_id);
    DeviceSteps found;
    found.device_id = device_id;
    found.steps = find_steps(run.profile, activities, calls, range_name);
    if (found.steps.steps.empty()) continue;
    found.typical = typical_steps(found.steps.steps, run.profile);
    Dealer dealer(run, calls, causes, arrivals, found);
    for_each_slice(activities, found.steps.steps.front().start_ns, found.steps.steps.back().end_ns,
                   [&](const TimeSlice& slice) { dealer.take(slice); });
    for (const DeviceActivity& activity : activities) dealer.count_launch(activity);
    const CriticalPath path(activities);
    for (const std::size_t i : found.typical) {
      const Step& step = found.steps.steps[i];
      dealer.take_path(path.links(step.start_ns, step.end_ns));
    }
    for (const std::size_t step : found.typical) add_parts(found.typical_parts, found.parts[step]);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace mansard
