// SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace mansard {

std::optional<std::int64_t> process_start_time_ticks(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // Field 2, the command, is in parentheses and may hold spaces and parentheses itself.
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return std::nullopt;
  // A zombie has ended, although its parent has not waited for it yet.
  if (at + 2 < stat.size() && stat[at + 2] == 'Z') return std::nullopt;
  for (int field = 2; field < 22; ++field) {
    at = stat.find(' ', at + 1);
    if (at == std::string::npos) return std::nullopt;
  }
  std::int64_t ticks = 0;
  const char* begin = stat.data() + at + 1;
  if (std::from_chars(begin, stat.data() + stat.size(), ticks).ec != std::errc{}) {
    return std::nullopt;
  }
  return ticks;
}

RecordingProcess this_process() {
  RecordingProcess process;
  process.pid = getpid();
  process.start_time_ticks = process_start_time_ticks(process.pid).value_or(0);
  std::ifstream("/proc/sys/kernel/random/boot_id") >> process.scope;
  std::error_code ignored;
  process.scope += " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
  return process;
}

std::optional<bool> is_alive(const RecordingProcess& process) {
  if (process.scope != this_process().scope) return std::nullopt;
  const auto ticks = process_start_time_ticks(process.pid);
  return ticks.has_value() && *ticks == process.start_time_ticks;
}

}  // namespace mansard
