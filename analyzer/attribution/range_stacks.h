// SPDX-License-Identifier: Apache-2.0
// Finds the stack of NVTX ranges around a launch, whether or not they are annotated with work. All
// analyses, exports, pages and views use this stack.
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

#include "analyzer/attribution/graph_node_origins.h"
#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// Whether the record is a range, not a mark or a name.
bool is_range(const store::NvtxRecord& record);
// Whether it is a range that ended before the recording did.
bool is_whole_range(const store::NvtxRecord& record);

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

// The range stack of each launch. All kernels of a CUDA graph are launched by one call, so the
// stack of such a kernel continues with the ranges around the creation of its graph node: of a
// captured graph, those opened since the capture began, as the ranges around a capture do not
// describe its kernels. A range is left out if its name equals, except for numbers, the name of a
// range around the launch, such as the step in which the graph was created.
class LaunchRanges {
 public:
  LaunchRanges() = default;  // for a profile without ranges
  explicit LaunchRanges(const store::Profile& profile, std::string_view step_range = "");

  // `launch` is a number of `launches`, the launch table of `profile`, which must be the
  // constructor's. Empty if no API call was recorded for the launch.
  std::vector<std::size_t> around(const store::Profile& profile, const LaunchTable& launches,
                                  std::size_t launch) const;

 private:
  void find_creation_ranges(const store::Profile& profile);
  void add_creation_ranges(std::int64_t graph_node_id, std::int64_t process,
                           std::vector<std::size_t>& stack) const;

  RangeStacks stacks_;
  std::optional<GraphNodeOrigins> origins_;
  // The following are empty if no creation of a graph node was recorded.
  std::vector<std::vector<std::uint32_t>> creation_ranges_;  // by index into Profile::graph_nodes
  std::vector<std::uint32_t> name_without_numbers_;  // by range: equal numbers are equal names
};

// Whether a range of a launch's stack ended before the launch: then it is around the creation of
// the kernel's graph node.
bool ended_before(const store::NvtxRecord& range, const store::ApiRecord& launch);

// The name of a range without its work annotation: "fprop" for "fprop | flop=1e12".
std::string_view range_name(const store::Profile& profile, const store::NvtxRecord& range);

}  // namespace mansard::analysis
