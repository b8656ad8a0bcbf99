// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/host_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>

#include <sys/mman.h>

#include "support/units.h"

namespace mansard::kernels {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::optional<double> read_number(const std::string& file) {
  std::ifstream in(file);
  double value = 0;
  if (in >> value) return value;
  return std::nullopt;  // absent, or "max"
}

// Remaining allowance of the group at `path` and each of its ancestors.
double left_in_group(const std::string& mount, std::string path, const char* limit_file,
                     const char* usage_file) {
  double left = std::numeric_limits<double>::infinity();
  for (;;) {
    const std::string folder = mount + path + "/";
    const std::optional<double> limit = read_number(folder + limit_file);
    const std::optional<double> usage = read_number(folder + usage_file);
    if (limit && usage) left = std::min(left, std::max(0.0, *limit - *usage));
    if (path.empty()) return left;
    path.erase(path.rfind('/'));
  }
}

// Lines of /proc/self/cgroup are "hierarchy:controllers:path"; version 2 is hierarchy 0. In a
// container whose path is not mounted, the walk ends at the mount, which is the container's group.
double left_in_control_groups() {
  double left = std::numeric_limits<double>::infinity();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path.empty() || path == "/" || path.front() != '/') path.clear();
    if (controllers == ",,") {
      left = std::min(left, left_in_group("/sys/fs/cgroup", path, "memory.max", "memory.current"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_in_group("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                          "memory.usage_in_bytes"));
    }
  }
  return left;
}

}  // namespace

PageBuffer::PageBuffer(std::size_t bytes, Pages pages)
    : mapping_bytes_(bytes + 2 * kHugePageBytes), bytes_(bytes) {
  mapping_ =
      mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    throw std::runtime_error("cannot map " + format_capacity(static_cast<double>(bytes)) +
                             " of host memory: " + std::strerror(errno) +
                             "; choose a smaller working set or raise the limit (ulimit -v)");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const std::size_t offset = (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
  data_ = static_cast<std::byte*>(mapping_) + offset;
  if (pages == Pages::system_default) return;
  // Rounded up, so that a small working set is also in one huge page. Best effort: without huge
  // pages the measurement is still valid for this system's memory configuration.
  const std::size_t advised = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  madvise(data_, advised, MADV_HUGEPAGE);
}

PageBuffer::~PageBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

double available_memory_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  double available = 0;
  for (std::string key; meminfo >> key;) {
    double kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) {
      available = 1024 * kib;
      break;
    }
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::min(available, left_in_control_groups());
}

std::string huge_page_policy() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;  // "always [madvise] never"
  std::getline(file, line);
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  return line.substr(open + 1, close - open - 1);
}

}  // namespace mansard::kernels
