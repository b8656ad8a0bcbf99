// SPDX-License-Identifier: Apache-2.0
// The stack of NVTX ranges around a launch, annotated or not, as shown by all exports, pages and
// views.
//
// The stack consists of the ranges (push/pop and start/end, not marks) that were open when the API
// call that launched the kernel started: those of the calling thread and, if the steps of its
// process are on another thread (find_step_ranges()), those of that thread too, as PyTorch runs the
// backward pass on a thread of its own inside the step of the main thread. A range is open from its
// start to just before its end; a range without an end is open until the recording ends.
//
// Order: by start; of equal starts, the range that ended last comes first; of equal starts and
// ends, the one recorded first. So the outermost range is first. Start/end ranges need not nest,
// and have the same order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// Finds the range stack of a thread at a time. Uses 16 bytes per range.
class RangeStacks {
 public:
  RangeStacks() = default;  // for a profile without ranges
  // Linear in the ranges, with one pass per process. `step_range` as for find_step_ranges().
  explicit RangeStacks(const store::Profile& profile, std::string_view step_range = "");

  // The stack of a call by `global_tid` that started at `at_ns`, as indices into Profile::nvtx.
  // `profile` must be the constructor's. Costs a binary search plus the depth of the stack.
  std::vector<std::size_t> around(const store::Profile& profile, std::int64_t global_tid,
                                  std::int64_t at_ns) const;

 private:
  struct Thread {
    std::vector<std::int64_t> start_ns;  // of its ranges, ascending
    std::vector<std::uint32_t> range;    // their indices
  };
  struct OpenRange {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::size_t range;
  };
  void add_open(const store::Profile& profile, std::int64_t global_tid, std::int64_t at_ns,
                std::vector<OpenRange>& open) const;

  std::unordered_map<std::int64_t, Thread> threads_;
  // By range: the innermost range on the thread's stack when it started; -1: none.
  std::vector<std::int32_t> below_;
  std::unordered_map<std::int64_t, std::int64_t>
      stepping_;  // by process: the thread with the steps
};

// The range stack of each kernel.
class LaunchRanges {
 public:
  // `profile` and its `launches` must live as long as this.
  LaunchRanges(const store::Profile& profile, const LaunchTable& launches,
               std::string_view step_range = "")
      : profile_(profile), launches_(launches), stacks_(profile, step_range) {}

  // `kernel` is an index into Profile::kernels. Empty if no API call was recorded for it.
  std::vector<std::size_t> around(std::size_t kernel) const;

 private:
  const store::Profile& profile_;
  const LaunchTable& launches_;
  RangeStacks stacks_;
};

// The name of a range without its work annotation: "fprop" for "fprop | flop=1e12".
std::string_view range_name(const store::Profile& profile, const store::NvtxRecord& range);

}  // namespace mansard::analysis
