// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_times.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "analyzer/launch_table.h"
#include "analyzer/steps/collective_arrivals.h"
#include "analyzer/steps/critical_path.h"
#include "analyzer/steps/peer_exchange.h"
#include "analyzer/steps/replica_sync_times.h"
#include "support/statistics.h"

namespace mansard::analysis {

namespace {

constexpr double kTypical = 0.1;  // maximum relative difference from the median

std::vector<DeviceActivity> activities_of(const RunAnalysis& run, const LaunchTable& launches,
                                          std::int32_t device_id) {
  std::vector<DeviceActivity> all = device_activities(run.profile, launches, device_id);
  for (DeviceActivity& activity : all) {
    const std::size_t row = launches.row(activity.launch);
    if (row == kNoRow) continue;
    activity.row = static_cast<std::int32_t>(row);
    if (run.rows[row].operation_class == kCollectiveClass || is_peer_exchange(run.rows[row])) {
      activity.kind = ActivityKind::communication;
    }
  }
  return all;
}

std::vector<std::size_t> undisturbed_steps(const std::vector<Step>& steps,
                                           const DisturbedTime& disturbed) {
  std::vector<std::size_t> undisturbed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].readings > 0 || disturbed.overlaps(steps[i].start_ns, steps[i].end_ns)) continue;
    undisturbed.push_back(i);
  }
  return undisturbed;
}

// Steps of different kinds may alternate, such as micro-batches with and without an optimizer: if
// more than 20 % of the steps after the first three are off the median, those are typical as well.
std::vector<std::size_t> typical_steps(const std::vector<Step>& steps,
                                       const std::vector<std::size_t>& candidates) {
  constexpr std::size_t kWarmUp = 3;
  constexpr double kMax = 0.8;
  constexpr double kOutlier = 3;
  if (candidates.empty()) return {};
  std::vector<std::int64_t> durations;
  for (const std::size_t i : candidates) durations.push_back(steps[i].duration_ns());
  const double median_ns = median_in_place(durations);
  const auto is_typical = [&](std::size_t step) {
    const double off_ns = static_cast<double>(steps[step].duration_ns()) - median_ns;
    return std::abs(off_ns) <= kTypical * median_ns;
  };
  const bool has_warm_up = candidates.size() > 2 * kWarmUp;
  const std::size_t first = has_warm_up ? kWarmUp : 0;
  std::size_t late_typical = 0;
  for (std::size_t i = first; i < candidates.size(); ++i) {
    late_typical += is_typical(candidates[i]) ? 1 : 0;
  }
  const double late = static_cast<double>(candidates.size() - first);
  const bool take_turns =
      static_cast<double>(late_typical) < (has_warm_up ? kMax * late : 0.5 * late);
  std::vector<std::size_t> typical;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    // Whatever takes several times as long compiles, tunes or saves a checkpoint.
    const auto duration_ns = static_cast<double>(steps[candidates[i]].duration_ns());
    const bool takes_turn = take_turns && i >= first && duration_ns <= kOutlier * median_ns;
    if (is_typical(candidates[i]) || takes_turn) typical.push_back(candidates[i]);
  }
  return typical;
}

// Assigns time slices, in time order, to steps, classes, rows and idle causes.
class TimeSplitter {
 public:
  TimeSplitter(const RunAnalysis& run, const LaunchTable& launches, const IdleCauses& causes,
               const CollectiveArrivals& arrivals, const ReplicaSyncTimes& replica_sync,
               DeviceSteps& out)
      : run_(run),
        launches_(launches),
        causes_(causes),
        arrivals_(arrivals),
        replica_sync_(replica_sync),
        out_(out) {
    out_.parts.resize(out_.steps.size());
    is_typical_.resize(out_.parts.size());
    for (const std::size_t step : out_.typical) is_typical_[step] = true;
  }

  // Cuts slices at step boundaries.
  void take(TimeSlice slice) {
    const std::vector<Step>& steps = out_.steps;
    while (slice.start_ns < slice.end_ns) {
      while (slice.start_ns >= steps[step_].end_ns) ++step_;
      TimeSlice part = slice;
      part.end_ns = std::min(slice.end_ns, steps[step_].end_ns);
      deal(part);
      slice.start_ns = part.end_ns;
    }
  }

  // Assigns the links of a typical step's critical path.
  void take_path(const std::vector<PathLink>& links) {
    TimeParts& parts = out_.critical_parts;
    for (const PathLink& link : links) {
      parts.total_ns += link.end_ns - link.start_ns;
      const DeviceActivity* const owner =
          link.activity != nullptr ? link.activity : exchange_after(link.start_ns, link.next);
      if (owner == nullptr) {
        add_idle(link.start_ns, link.end_ns, link.next, parts, [](const TimeInterval&) {});
      } else {
        add_activity(link.start_ns, link.end_ns, *owner, parts);
      }
    }
  }

  // `replica_sync`: they are the work of synchronizations.
  void count_launches(const std::vector<DeviceActivity>& activities, bool replica_sync) {
    const std::vector<Step>& steps = out_.steps;
    std::size_t step = 0;
    for (const DeviceActivity& activity : activities) {
      if (activity.row < 0 || activity.start_ns < steps.front().start_ns) continue;
      while (step < steps.size() && activity.start_ns >= steps[step].end_ns) ++step;
      if (step == steps.size()) return;
      if (!is_typical_[step]) continue;
      RowTime& row = out_.rows[activity.row];
      ++row.launches;
      if (replica_sync) ++row.replica_sync_launches;
      row.duration_ns += activity.end_ns - activity.start_ns;
    }
  }

 private:
  void deal(const TimeSlice& slice) {
    const std::int64_t ns = slice.end_ns - slice.start_ns;
    TimeParts& parts = out_.parts[step_];
    parts.total_ns += ns;
    const DeviceActivity* const exchange =
        slice.activity == nullptr ? exchange_after(slice.start_ns, slice.next) : nullptr;
    if (slice.communicates || exchange != nullptr) parts.communicating_ns += ns;
    if (slice.activity == nullptr && exchange == nullptr) {
      add_idle(slice.start_ns, slice.end_ns, slice.next, parts, [&](const TimeInterval& wait) {
        if (is_typical_[step_]) add_to_rows(wait);
      });
      return;
    }
    const DeviceActivity& owner = exchange != nullptr ? *exchange : *slice.activity;
    const std::int64_t waited_before_ns = parts.arrival_ns;
    add_activity(slice.start_ns, slice.end_ns, owner, parts);
    if (owner.row < 0 || !is_typical_[step_]) return;
    out_.rows[owner.row].owned_ns += ns;
    out_.rows[owner.row].arrival_ns += parts.arrival_ns - waited_before_ns;
  }

  // The exchange with another GPU for which the idle device waits from `start_ns` on: it comes
  // next, and was launched before. Streams wait for other ranks outside of kernels, so nothing else
  // shows it. Null: the device waits for something else.
  const DeviceActivity* exchange_after(std::int64_t start_ns, const DeviceActivity* next) const {
    if (next == nullptr || next->row < 0 || next->kind != ActivityKind::communication) {
      return nullptr;
    }
    if (!is_peer_exchange(run_.rows[static_cast<std::size_t>(next->row)])) return nullptr;
    const std::optional<std::size_t> call = launches_.call(next->launch);
    return call && run_.profile.api_calls[*call].end_ns <= start_ns ? next : nullptr;
  }

  void add_activity(std::int64_t start_ns, std::int64_t end_ns, const DeviceActivity& activity,
                    TimeParts& parts) const {
    const std::int64_t ns = end_ns - start_ns;
    switch (activity.kind) {
      case ActivityKind::memcpy:
      case ActivityKind::memset:
        parts.copy_ns += ns;
        return;
      case ActivityKind::communication: {
        const std::optional<std::int64_t> last_ns = arrivals_.of(activity.launch);
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

  // Calls `take_wait` with each interval in which the step waits for a synchronization of replicas.
  template <class TakeWait>
  void add_idle(std::int64_t start_ns, std::int64_t end_ns, const DeviceActivity* next,
                TimeParts& parts, TakeWait take_wait) const {
    std::optional<store::ApiRecord> call;
    if (next != nullptr) {
      const std::optional<std::size_t> index = launches_.call(next->launch);
      if (index) call = run_.profile.api_calls[*index];
    }
    std::int64_t now_ns = start_ns;
    if (call) {
      for (const TimeInterval& wait :
           replica_sync_.waits(start_ns, end_ns, next->start_ns, *call, causes_)) {
        if (now_ns < wait.start_ns) causes_.add(now_ns, wait.start_ns, call, parts.idle_ns);
        parts.replica_sync_ns += wait.end_ns - wait.start_ns;
        take_wait(wait);
        now_ns = wait.end_ns;
      }
    }
    if (now_ns < end_ns) causes_.add(now_ns, end_ns, call, parts.idle_ns);
  }

  // The rows of the synchronization's work that runs meanwhile.
  void add_to_rows(const TimeInterval& wait) {
    replica_sync_.for_each_slice_of(wait, [&](const TimeSlice& slice) {
      if (slice.activity == nullptr || slice.activity->row < 0) return;
      RowTime& row = out_.rows[slice.activity->row];
      row.owned_ns += slice.end_ns - slice.start_ns;
      row.replica_sync_ns += slice.end_ns - slice.start_ns;
    });
  }

  OperationClass class_of(const DeviceActivity& kernel) const {
    return kernel.row < 0 ? kOtherClass
                          : run_.rows[static_cast<std::size_t>(kernel.row)].operation_class;
  }

  const RunAnalysis& run_;
  const LaunchTable& launches_;
  const IdleCauses& causes_;
  const CollectiveArrivals& arrivals_;
  const ReplicaSyncTimes& replica_sync_;
  DeviceSteps& out_;
  std::vector<bool> is_typical_;
  std::size_t step_ = 0;
};

}  // namespace

std::int64_t TimeParts::idle_total_ns() const {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), std::int64_t{0});
}

TimeParts& TimeParts::operator+=(const TimeParts& other) {
  total_ns += other.total_ns;
  for (const auto& [name, ns] : other.class_ns) class_ns[name] += ns;
  communication_ns += other.communication_ns;
  arrival_ns += other.arrival_ns;
  copy_ns += other.copy_ns;
  graph_ns += other.graph_ns;
  replica_sync_ns += other.replica_sync_ns;
  replica_syncing_ns += other.replica_syncing_ns;
  for (std::size_t i = 0; i < kIdleCauses; ++i) idle_ns[i] += other.idle_ns[i];
  communicating_ns += other.communicating_ns;
  return *this;
}

RowTime& RowTime::operator+=(const RowTime& other) {
  owned_ns += other.owned_ns;
  arrival_ns += other.arrival_ns;
  replica_sync_ns += other.replica_sync_ns;
  launches += other.launches;
  replica_sync_launches += other.replica_sync_launches;
  duration_ns += other.duration_ns;
  return *this;
}

double DeviceSteps::mean_step_s() const {
  return typical.empty() ? 0
                         : 1e-9 * static_cast<double>(typical_parts.total_ns) /
                               static_cast<double>(typical.size());
}

bool has_typical_steps(const std::vector<DeviceSteps>& devices) {
  return std::ranges::any_of(devices, &DeviceSteps::has_typical);
}

std::vector<DeviceSteps> step_times(const RunAnalysis& run, const std::vector<Steps>& found) {
  if (found.empty()) return {};
  const LaunchTable& launches = launches_of(run);
  const IdleCauses causes(run.profile);
  const CollectiveArrivals arrivals(run, kCollectiveClass);
  const ReplicaSyncRanges sync_ranges(run.profile);
  std::vector<DeviceSteps> all;
  for (const Steps& of_device : found) {
    std::vector<DeviceActivity> activities = activities_of(run, launches, of_device.device_id);
    std::vector<ReplicaSyncRange> ranges_of_process =
        sync_ranges.of_process(activities, run.profile, launches);
    const ReplicaSyncTimes replica_sync(std::move(ranges_of_process),
                                        sync_ranges.take_from(activities, run.profile, launches));
    DeviceSteps device;
    static_cast<Steps&>(device) = of_device;
    const std::vector<Step>& steps = device.steps;
    const std::vector<std::size_t> undisturbed = undisturbed_steps(steps, run.disturbed);
    device.disturbed = steps.size() - undisturbed.size();
    device.typical = typical_steps(steps, undisturbed);
    TimeSplitter splitter(run, launches, causes, arrivals, replica_sync, device);
    for_each_slice(activities, steps.front().start_ns, steps.back().end_ns,
                   [&](const TimeSlice& slice) { splitter.take(slice); });
    splitter.count_launches(activities, false);
    splitter.count_launches(replica_sync.activities(), true);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      device.parts[i].replica_syncing_ns =
          replica_sync.running_ns(steps[i].start_ns, steps[i].end_ns);
    }
    const CriticalPath path(activities);
    for (const std::size_t i : device.typical) {
      splitter.take_path(path.links(steps[i].start_ns, steps[i].end_ns));
    }
    for (const std::size_t i : device.typical) device.typical_parts += device.parts[i];
    all.push_back(std::move(device));
  }
  return all;
}

const std::vector<DeviceSteps>& step_times(const RunAnalysis& run) {
  return run.step_memo->get(run);
}

const std::vector<DeviceSteps>& named_step_times(const RunAnalysis& run) {
  if (!run.steps_obstacle.empty()) throw std::invalid_argument(run.steps_obstacle);
  return step_times(run);
}

const std::vector<DeviceSteps>& StepTimesMemo::get(const RunAnalysis& run) {
  std::call_once(once_, [&] {
    // A run that was not created by analyze_run() has no steps yet.
    devices_ = step_times(
        run, !run.steps.empty() ? run.steps : find_steps_of_devices(run.profile, launches_of(run)));
  });
  return devices_;
}

std::shared_ptr<StepTimesMemo> make_step_memo() { return std::make_shared<StepTimesMemo>(); }

}  // namespace mansard::analysis
