// SPDX-License-Identifier: Apache-2.0
// Progress of a recording, visible to other processes while it runs.
#pragma once

#include <cstdint>

namespace mansard::collector {

struct RecordingProgress {
  std::uint64_t events = 0;  // in the file: kernels, memcpys, memsets, API calls, ranges and marks
  std::uint64_t dropped_events = 0;
  std::uint64_t file_bytes = 0;  // including SQLite's log
};

}  // namespace mansard::collector
