// SPDX-License-Identifier: Apache-2.0
// How much of the program's memory events may take on their way into the file.
#pragma once

#include <cstdint>
#include <string_view>

namespace mansard::collector {

inline constexpr std::int64_t kDefaultMemoryLimit_bytes = std::int64_t{512} << 20;
// Some dozens of threads of the program need a batch of ranges and a buffer of CUPTI's each.
inline constexpr std::int64_t kLeastMemoryLimit_bytes = std::int64_t{16} << 20;

// "512M", "2G"; K, M and G are powers of 1024, and a number alone is bytes. Throws
// std::invalid_argument that says what is accepted.
std::int64_t parse_memory_limit(std::string_view text);

// Each kind of event has its own share, so that a flood of one does not cost the other.
struct MemoryShares {
  std::size_t nvtx_bytes = 0;
  std::size_t cupti_bytes = 0;
};
MemoryShares split_memory_limit(std::int64_t limit_bytes);

}  // namespace mansard::collector
