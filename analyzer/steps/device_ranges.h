// SPDX-License-Identifier: Apache-2.0
// NVTX ranges projected onto a device: from the start of the first activity launched in a range to
// the end of the last. The host runs ahead, so host times of a range differ from the times of its
// device work.
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

// One entry per device and range with work on it; a range in which nodes of a CUDA graph were
// created has one for each launch of the graph. Sorted by device, then in the order of
// Profile::nvtx, then by start. Work belongs to all ranges of its stack (LaunchRanges).
// `step_range` as for find_step_ranges().
std::vector<DeviceRange> device_ranges(const store::Profile& profile, const LaunchTable& launches,
                                       const std::string& step_range = "");

}  // namespace mansard::analysis
