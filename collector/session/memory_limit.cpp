// SPDX-License-Identifier: Apache-2.0
#include "collector/session/memory_limit.h"

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace mansard::collector {
namespace {

// Returns the exponent of the power of two, or -1 for an unknown unit.
int shift_of(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "K") return 10;
  if (unit == "M") return 20;
  if (unit == "G") return 30;
  return -1;
}

}  // namespace

std::int64_t parse_memory_limit(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, count);
  const int shift = shift_of({unit, static_cast<std::size_t>(end - unit)});
  const std::string quoted = "'" + std::string(text) + "'";
  if (error == std::errc::invalid_argument || shift < 0) {
    throw std::invalid_argument(quoted +
                                " is not a size; use a whole number with K, M or G, such as 512M");
  }
  if (error != std::errc{} || count > INT64_MAX >> shift) {
    throw std::invalid_argument(quoted + " is too large");
  }
  if (count < kLeastMemoryLimit_bytes >> shift) {
    throw std::invalid_argument(quoted + " is too small; use at least 16M");
  }
  return count << shift;
}

MemoryShares split_memory_limit(std::int64_t limit_bytes) {
  const auto half = static_cast<std::size_t>(limit_bytes / 2);
  return {.nvtx_bytes = half, .cupti_bytes = half};
}

}  // namespace mansard::collector
