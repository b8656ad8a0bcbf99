// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges around a launch: those open on the launching thread and, if the steps are on
// another thread, on that thread too, as PyTorch runs the backward pass on a thread of its own.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

// Whether the record is a range (not a mark) that ended before the recording did.
bool is_whole_range(const store::NvtxRecord& record);

class OpenRanges {
 public:
  // `profile` must live as long as this. `step_range` as for find_step_ranges().
  OpenRanges(const store::Profile& profile, std::string step_range)
      : profile_(profile), step_range_(std::move(step_range)) {}

  // Calls visit(i), an index into Profile::nvtx, for each whole range around an API call at
  // `at_ns`, outermost first per thread. `at_ns` must not decrease between calls.
  template <class Visit>
  void around(std::int64_t at_ns, std::int64_t global_tid, Visit&& visit) {
    advance(at_ns);
    for (const std::size_t i : open_on(global_tid, at_ns)) visit(i);
    const std::int64_t stepping = stepping_thread(global_tid);
    if (stepping == 0 || stepping == global_tid) return;
    for (const std::size_t i : open_on(stepping, at_ns)) visit(i);
  }

 private:
  void advance(std::int64_t time_ns);
  const std::vector<std::size_t>& open_on(std::int64_t global_tid, std::int64_t at_ns);
  // Thread with the steps in the process of `global_tid`; 0: no steps.
  std::int64_t stepping_thread(std::int64_t global_tid);

  const store::Profile& profile_;
  std::string step_range_;
  std::size_t next_ = 0;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> open_;  // by thread
  std::unordered_map<std::int64_t, std::int64_t> stepping_;          // by process
};

}  // namespace mansard::analysis
