// SPDX-License-Identifier: Apache-2.0
#include "cli/process_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <sys/resource.h>

#include "collector/session/memory_limit.h"

namespace mansard::cli {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

std::int64_t available_on_machine() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes << 10;
  }
  return kUnknown;
}

std::optional<std::int64_t> number_in(const char* file) {
  std::int64_t number = 0;
  std::ifstream stream(file);
  return stream >> number ? std::optional(number) : std::nullopt;  // or "max"
}

// Page cache in memory.current that the OS can drop when memory is needed.
std::int64_t reclaimable_in_cgroup() {
  std::int64_t bytes = 0;
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  std::string name;
  for (std::int64_t value = 0; file >> name >> value;) {
    if (name == "active_file" || name == "inactive_file") bytes += value;
  }
  return bytes;
}

// In a container, these are the files of its own cgroup (v2).
std::int64_t available_in_cgroup() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  return limit && used ? *limit - *used + reclaimable_in_cgroup() : kUnknown;
}

std::int64_t wanted_bound() {
  const char* given = std::getenv("MANSARD_MEMORY");
  if (given == nullptr || *given == '\0') {
    constexpr std::int64_t kMin = std::int64_t{256} << 20;  // enough to start every command
    return std::max(std::min(available_on_machine(), available_in_cgroup()) / 5 * 4, kMin);
  }
  try {
    return collector::parse_memory_limit(given);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("MANSARD_MEMORY: " + std::string(error.what()));
  }
}

}  // namespace

std::int64_t limit_process_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return kUnknown;  // the limit would include the sanitizer's shadow memory
#endif
  const auto bound = static_cast<rlim_t>(wanted_bound());
  rlimit limit{};
  // The heap and the stacks of threads are writable private memory, which RLIMIT_DATA limits.
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return kUnknown;
  limit.rlim_cur = std::min({bound, limit.rlim_cur, limit.rlim_max});
  setrlimit(RLIMIT_DATA, &limit);
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kUnknown));
}

}  // namespace mansard::cli
