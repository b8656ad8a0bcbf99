// SPDX-License-Identifier: Apache-2.0
#include "support/cpu_name.h"

#include <fstream>

namespace mansard {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return cpu_name(cpuinfo);
}

std::string cpu_name(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    if (first == std::string::npos) return "";
    return line.substr(first, line.find_last_not_of(" \t") + 1 - first);
  }
  return "";
}

}  // namespace mansard
