// SPDX-License-Identifier: Apache-2.0
// Summarizes a profile without reading it completely.
#pragma once

#include <cstdint>
#include <filesystem>

#include "collector/store/profile.h"

namespace mansard::store {

struct ProfileSummary {
  RecordingState state = RecordingState::foreign;
  std::int64_t launch_utc_ns = 0;  // when the launcher started, which identifies a launch; or 0
  std::int64_t kernels = 0;
  std::int64_t copies = 0;  // memcpys and memsets
  std::int64_t graphs = 0;  // launches of CUDA graphs recorded as a whole
  std::int64_t ranges = 0;  // NVTX ranges and marks
  std::int64_t annotated_ranges = 0;
  std::int64_t counter_readings = 0;
  std::int64_t counted_kernels = 0;  // kernel signatures and graphs with readings
  double pause_s = 0;                // that reading took from the program
  std::int64_t dropped_events = 0;
  std::string windows;  // describe_windows()
};

// Like load_profile, reports an abandoned profile as interrupted. Throws like load_profile.
ProfileSummary summarize_profile(const std::filesystem::path& file);

}  // namespace mansard::store
