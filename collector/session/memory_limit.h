// SPDX-License-Identifier: Apache-2.0
// Limit on the memory that buffered events may use in the recorded process.
#pragma once

#include <cstdint>
#include <string_view>

namespace mansard::collector {

inline constexpr std::int64_t kDefaultMemoryLimit_bytes = std::int64_t{512} << 20;
// Each of some dozens of program threads needs a batch of ranges and a CUPTI buffer.
inline constexpr std::int64_t kLeastMemoryLimit_bytes = std::int64_t{16} << 20;

// Parses "512M" or "2G"; K, M and G are powers of 1024, and a number without a suffix is in bytes.
// Throws std::invalid_argument that lists what is accepted.
std::int64_t parse_memory_limit(std::string_view text);

// Each kind of event has its own share, so that a flood of one kind does not displace the other.
struct MemoryShares {
  std::size_t nvtx_bytes = 0;
  std::size_t cupti_bytes = 0;
};
MemoryShares split_memory_limit(std::int64_t limit_bytes);

}  // namespace mansard::collector
