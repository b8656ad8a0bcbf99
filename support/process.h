// SPDX-License-Identifier: Apache-2.0
// Whether the process that was recording a file still lives. A pid alone can have been given to
// another process, and means nothing on another machine or in another container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mansard {

struct RecordingProcess {
  std::int64_t pid = 0;
  std::int64_t start_time_ticks = 0;  // since boot; /proc/<pid>/stat, field 22
  std::string scope;                  // boot id and pid namespace
};

RecordingProcess this_process();

// Clock ticks from boot to the start of `pid`; empty when there is no such process.
std::optional<std::int64_t> process_start_time_ticks(std::int64_t pid);

// Empty when it cannot be told from here: the process belongs to another machine or container.
std::optional<bool> is_alive(const RecordingProcess& process);

}  // namespace mansard
