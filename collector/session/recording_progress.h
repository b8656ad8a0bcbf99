// SPDX-License-Identifier: Apache-2.0
// How far a recording has come, as others can see it while it goes on.
#pragma once

#include <cstdint>

namespace mansard::collector {

struct RecordingProgress {
  std::uint64_t events = 0;  // in the file: kernels, copies, fills, calls, ranges and marks
  std::uint64_t dropped_events = 0;
  std::uint64_t file_bytes = 0;  // with SQLite's log
};

}  // namespace mansard::collector
