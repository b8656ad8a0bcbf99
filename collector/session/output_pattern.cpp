// SPDX-License-Identifier: Apache-2.0
#include "collector/session/output_pattern.h"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include "support/job_rank.h"

namespace mansard::collector {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown-host";
  return name.data();
}

std::filesystem::path expand_output_pattern(const std::string& pattern, std::int64_t pid,
                                            const std::filesystem::path& folder) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      name += pattern[i];
      continue;
    }
    const char what = ++i < pattern.size() ? pattern[i] : '\0';
    if (what == '%') {
      name += '%';
    } else if (what == 'h') {
      name += host_name();
    } else if (what == 'p') {
      name += std::to_string(pid);
    } else if (what == 'r') {
      name += std::to_string(rank_of_environment().value_or(0));
    } else if (what == 'q' && i + 1 < pattern.size() && pattern[i + 1] == '{' &&
               pattern.find('}', i) != std::string::npos) {
      const std::size_t close = pattern.find('}', i);
      const char* value = std::getenv(pattern.substr(i + 2, close - i - 2).c_str());
      if (value != nullptr) name += value;
      i = close;
    } else {
      throw std::runtime_error("output name '" + pattern + "': '%" +
                               (what == '\0' ? std::string() : std::string(1, what)) +
                               "' is not a known placeholder. Use %h (host), %p (process), %r "
                               "(rank), %q{VARIABLE} or %%.");
    }
  }
  return folder / name;
}

std::string glob_of_output_pattern(const std::string& pattern) {
  std::string glob;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      glob += pattern[i];
      continue;
    }
    ++i;
    glob += pattern[i] == '%' ? '%' : '*';
    if (pattern[i] == 'q') i = std::min(pattern.find('}', i), pattern.size());
  }
  return glob;
}

bool can_be_expanded_here(const std::string& pattern) {
  for (std::size_t at = pattern.find('%'); at != pattern.npos; at = pattern.find('%', at + 2)) {
    if (pattern.compare(at, 3, "%q{") != 0) continue;
    const std::size_t close = std::min(pattern.find('}', at), pattern.size());
    if (std::getenv(pattern.substr(at + 3, close - at - 3).c_str()) == nullptr) return false;
  }
  return true;
}

std::filesystem::path with_pid(const std::filesystem::path& file, std::int64_t pid) {
  std::filesystem::path name = file;
  name.replace_extension("." + std::to_string(pid) + file.extension().string());
  return name;
}

}  // namespace mansard::collector
