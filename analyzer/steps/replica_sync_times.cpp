// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/replica_sync_times.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/steps/by_range_name.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {
namespace {

template <class Item>
std::vector<std::int64_t> last_ends(const std::vector<Item>& items) {
  std::vector<std::int64_t> ends;
  ends.reserve(items.size());
  for (const Item& item : items) {
    ends.push_back(std::max(item.end_ns, ends.empty() ? item.end_ns : ends.back()));
  }
  return ends;
}

// The items, sorted by start, that overlap [start_ns, end_ns), and possibly some that do not.
template <class Item>
std::span<const Item> around(const std::vector<Item>& items, const std::vector<std::int64_t>& ends,
                             std::int64_t start_ns, std::int64_t end_ns) {
  const auto first = std::ranges::upper_bound(ends, start_ns) - ends.begin();
  const auto last = std::ranges::lower_bound(items, end_ns, {}, &Item::start_ns) - items.begin();
  if (first >= last) return {};
  return std::span(items).subspan(static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(last - first));
}

// Whether the thread that will make the call may wait for another thread.
bool may_wait(const TimeInterval& time, const store::ApiRecord& call, const IdleCauses& causes) {
  IdleTimes times = {};
  causes.add(time.start_ns, time.end_ns, call, times);
  const std::int64_t waiting_ns = times[static_cast<std::size_t>(IdleCause::host_code)] +
                                  times[static_cast<std::size_t>(IdleCause::synchronization)];
  return 2 * waiting_ns > time.end_ns - time.start_ns;
}

}  // namespace

ReplicaSyncRanges::ReplicaSyncRanges(const store::Profile& profile) {
  ByRangeName<bool> synchronizes(profile, [](std::string_view text) {
    return text.substr(0, text.find(" | ")) == kReplicaSyncRange;
  });
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& range) {
    if (!is_whole_range(range) || !synchronizes(range)) return;
    std::vector<ReplicaSyncRange>& ranges = by_thread_[range.global_tid];
    if (!ranges.empty() && range.start_ns < ranges.back().end_ns) return;  // within another
    ranges.push_back({range.start_ns, range.end_ns, range.global_tid});
  });
}

bool ReplicaSyncRanges::contain(const store::ApiRecord& call) const {
  const auto thread = by_thread_.find(call.global_tid);
  if (thread == by_thread_.end()) return false;
  const auto after =
      std::ranges::upper_bound(thread->second, call.start_ns, {}, &ReplicaSyncRange::start_ns);
  return after != thread->second.begin() && call.start_ns < std::prev(after)->end_ns;
}

std::vector<DeviceActivity> ReplicaSyncRanges::take_from(std::vector<DeviceActivity>& activities,
                                                         const store::Profile& profile,
                                                         const LaunchTable& launches) const {
  std::vector<DeviceActivity> taken;
  if (empty()) return taken;
  std::erase_if(activities, [&](const DeviceActivity& activity) {
    const std::optional<std::size_t> call = launches.call(activity.launch);
    if (!call || !contain(profile.api_calls[*call])) return false;
    taken.push_back(activity);
    return true;
  });
  return taken;
}

std::vector<ReplicaSyncRange> ReplicaSyncRanges::of_process(
    const std::vector<DeviceActivity>& activities, const store::Profile& profile,
    const LaunchTable& launches) const {
  std::vector<ReplicaSyncRange> found;
  for (const DeviceActivity& activity : activities) {
    const std::optional<std::size_t> call = launches.call(activity.launch);
    if (!call) continue;
    const std::int64_t process = store::process_key(profile.api_calls[*call].global_tid);
    for (const auto& [thread, ranges] : by_thread_) {
      if (store::process_key(thread) != process) continue;
      found.insert(found.end(), ranges.begin(), ranges.end());
    }
    break;
  }
  std::ranges::stable_sort(found, {}, &ReplicaSyncRange::start_ns);
  return found;
}

ReplicaSyncTimes::ReplicaSyncTimes(std::vector<ReplicaSyncRange> ranges,
                                   std::vector<DeviceActivity> activities)
    : ranges_(std::move(ranges)),
      activities_(std::move(activities)),
      last_range_end_ns_(last_ends(ranges_)),
      last_activity_end_ns_(last_ends(activities_)) {
  std::vector<TimeInterval> running;
  for (const ReplicaSyncRange& range : ranges_) running.push_back({range.start_ns, range.end_ns});
  for (const DeviceActivity& activity : activities_) {
    running.push_back({activity.start_ns, activity.end_ns});
  }
  running_ = merged(std::move(running));
}

std::vector<TimeInterval> ReplicaSyncTimes::waits(std::int64_t start_ns, std::int64_t end_ns,
                                                  std::int64_t next_ns,
                                                  const store::ApiRecord& call,
                                                  const IdleCauses& causes) const {
  std::vector<TimeInterval> found;
  for (const ReplicaSyncRange& range : around(ranges_, last_range_end_ns_, start_ns, end_ns)) {
    if (range.end_ns > std::min(call.start_ns, next_ns)) continue;
    const TimeInterval time{std::max(start_ns, range.start_ns), std::min(end_ns, range.end_ns)};
    if (time.start_ns >= time.end_ns) continue;
    if (range.global_tid == call.global_tid || may_wait(time, call, causes)) found.push_back(time);
  }
  const std::int64_t queued_ns = std::max(start_ns, call.start_ns);
  for (const DeviceActivity& activity :
       around(activities_, last_activity_end_ns_, queued_ns, end_ns)) {
    if (activity.end_ns > next_ns) continue;
    const TimeInterval time{std::max(queued_ns, activity.start_ns),
                            std::min(end_ns, activity.end_ns)};
    if (time.start_ns < time.end_ns) found.push_back(time);
  }
  return found.empty() ? found : merged(std::move(found));
}

void ReplicaSyncTimes::for_each_slice_of(const TimeInterval& interval,
                                         const std::function<void(const TimeSlice&)>& take) const {
  const auto near = around(activities_, last_activity_end_ns_, interval.start_ns, interval.end_ns);
  for_each_slice({near.begin(), near.end()}, interval.start_ns, interval.end_ns, take);
}

std::int64_t ReplicaSyncTimes::running_ns(std::int64_t start_ns, std::int64_t end_ns) const {
  std::int64_t sum_ns = 0;
  auto next = std::ranges::upper_bound(running_, start_ns, {}, &TimeInterval::end_ns);
  for (; next != running_.end() && next->start_ns < end_ns; ++next) {
    sum_ns += std::min(end_ns, next->end_ns) - std::max(start_ns, next->start_ns);
  }
  return sum_ns;
}

}  // namespace mansard::analysis
