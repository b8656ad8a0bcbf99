// SPDX-License-Identifier: Apache-2.0
// Ranges of the program as a device sees them: from the begin of the first work launched in a range
// to the end of the last. The host runs ahead, so that a range on its own clock says little of when
// its work ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct DeviceRange {
  std::size_t nvtx = 0;  // into Profile::nvtx
  std::int32_t device_id = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// One a range and device that it put work on, by device, then in the order of Profile::nvtx. Work
// belongs to all ranges that are open where it is launched: on the launching thread and, when that
// is not the thread with the steps, on that one too, as PyTorch's backward pass runs on a thread of
// its own while the step's waits. `step_range` as for find_step_ranges().
std::vector<DeviceRange> device_ranges(const store::Profile& profile, const LaunchTable& launches,
                                       const std::string& step_range = "");

}  // namespace mansard::analysis
