// SPDX-License-Identifier: Apache-2.0
// Tells whether the process that was recording a file is still alive. A PID is not enough: it may
// have been reused, and is meaningless on another machine or in another container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mansard {

struct RecordingProcess {
  std::int64_t pid = 0;
  std::int64_t start_time_ticks = 0;  // since boot; /proc/<pid>/stat, field 22
  std::string scope;                  // boot ID and PID namespace
};

RecordingProcess this_process();

// Returns the clock ticks from boot to the start of `pid`; nullopt if there is no such process.
std::optional<std::int64_t> process_start_time_ticks(std::int64_t pid);

// Returns nullopt if unknown because the process belongs to another machine or container.
std::optional<bool> is_alive(const RecordingProcess& process);

}  // namespace mansard
