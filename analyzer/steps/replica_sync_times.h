// SPDX-License-Identifier: Apache-2.0
// Synchronization of replicas of a model, as in ShadowSync (arXiv 2003.03477): NVTX ranges named
// "synchronization", on any thread, and the device work launched in them. It can run beside the
// steps: its work is not the steps' own, and only what a step waits for is exposed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/steps/device_timeline.h"
#include "analyzer/steps/disturbed_time.h"
#include "analyzer/steps/idle_causes.h"

namespace mansard::analysis {

inline constexpr std::string_view kReplicaSyncRange = "synchronization";

struct ReplicaSyncRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;
};

// The ranges of a profile.
class ReplicaSyncRanges {
 public:
  explicit ReplicaSyncRanges(const store::Profile& profile);

  bool empty() const { return by_thread_.empty(); }
  // Whether the call was made in a range.
  bool contain(const store::ApiRecord& call) const;
  // Removes the activities launched in a range from `activities` and returns them, in order.
  std::vector<DeviceActivity> take_from(std::vector<DeviceActivity>& activities,
                                        const store::Profile& profile,
                                        const LaunchTable& launches) const;
  // The ranges of the process that launched `activities`, sorted by start. Empty if no call of them
  // was recorded.
  std::vector<ReplicaSyncRange> of_process(const std::vector<DeviceActivity>& activities,
                                           const store::Profile& profile,
                                           const LaunchTable& launches) const;

 private:
  std::map<std::int64_t, std::vector<ReplicaSyncRange>> by_thread_;  // disjoint, sorted by start
};

// The synchronization on one device.
class ReplicaSyncTimes {
 public:
  // Both sorted by start.
  ReplicaSyncTimes(std::vector<ReplicaSyncRange> ranges, std::vector<DeviceActivity> activities);

  const std::vector<DeviceActivity>& activities() const { return activities_; }

  // The parts of [start_ns, end_ns), in which no work of a step runs, in which the step's next work
  // waits for a synchronization. That work starts at `next_ns` on the device and is launched by
  // `call`. It waits
  // - until a range ends, if `call` starts afterwards. A range on another thread counts only if the
  //   launching thread spends most of that time in code of the program or waiting for the device:
  //   not in loading data or in other API calls.
  // - from its launch until device work of the synchronization ends.
  // The result is sorted and disjoint.
  std::vector<TimeInterval> waits(std::int64_t start_ns, std::int64_t end_ns, std::int64_t next_ns,
                                  const store::ApiRecord& call, const IdleCauses& causes) const;

  // Calls `take` with slices that cover the interval (for_each_slice()).
  void for_each_slice_of(const TimeInterval& interval,
                         const std::function<void(const TimeSlice&)>& take) const;

  // The part of [start_ns, end_ns) in which a range is open or device work runs.
  std::int64_t running_ns(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  std::vector<ReplicaSyncRange> ranges_;
  std::vector<DeviceActivity> activities_;
  // Latest end of the elements up to an index, to find the first that can overlap an interval.
  std::vector<std::int64_t> last_range_end_ns_;
  std::vector<std::int64_t> last_activity_end_ns_;
  std::vector<TimeInterval> running_;  // disjoint, sorted
};

}  // namespace mansard::analysis
