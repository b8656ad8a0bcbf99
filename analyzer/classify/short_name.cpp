// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/short_name.h"

#include <array>

namespace mansard::analysis {

namespace {

// As written by the demanglers of GNU, CUPTI and Nsight Systems.
constexpr std::array<std::string_view, 2> kUnnamed = {"(anonymous namespace)", "<unnamed>"};

std::size_t unnamed_length(std::string_view text) {
  for (const std::string_view u : kUnnamed) {
    if (text.substr(0, u.size()) == u) return u.size();
  }
  return 0;
}

}  // namespace

std::string short_kernel_name(std::string_view demangled) {
  // What stands outside of all angle brackets, up to the argument list.
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    if (const std::size_t skip = unnamed_length(demangled.substr(i)); skip > 0) {
      i += skip - 1;
      continue;
    }
    const char c = demangled[i];
    const bool arrow = c == '>' && i > 0 && demangled[i - 1] == '-';
    if (c == '<') {
      ++depth;
    } else if (c == '>' && !arrow) {
      --depth;
    } else if (depth == 0) {
      if (c == '(') break;
      plain += c;
    }
  }
  if (depth != 0) return std::string(demangled);  // cut off, or not C++
  const std::size_t scope = plain.rfind("::");
  const std::size_t space = plain.rfind(' ');
  std::size_t begin = scope == std::string::npos ? 0 : scope + 2;
  if (space != std::string::npos && space + 1 > begin) begin = space + 1;
  std::string name = plain.substr(begin);
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace mansard::analysis
