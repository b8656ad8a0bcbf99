// SPDX-License-Identifier: Apache-2.0
// Identifies launches of the same kernel with the same launch configuration.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "collector/store/kernel_record.h"

namespace mansard {

struct LaunchSignature {
  StringId name = 0;
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int32_t dynamic_shared_bytes = 0;
  auto operator<=>(const LaunchSignature&) const = default;
};

struct LaunchSignatureHash {
  std::size_t operator()(const LaunchSignature& s) const {
    std::uint64_t hash = static_cast<std::uint64_t>(s.name);
    const auto mix = [&hash](std::int64_t value) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    };
    for (const std::int32_t n : s.grid) mix(n);
    for (const std::int32_t n : s.block) mix(n);
    mix(s.dynamic_shared_bytes);
    return hash;
  }
};

// `r` is a KernelRecord or a CounterReading.
template <class Record>
LaunchSignature signature_of(const Record& r) {
  return {r.mangled_name != 0 ? r.mangled_name : r.demangled_name, r.grid, r.block,
          r.dynamic_shared_bytes};
}

}  // namespace mansard
