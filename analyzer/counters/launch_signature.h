// SPDX-License-Identifier: Apache-2.0
// Identifies launches of the same kernel with the same launch configuration.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "collector/store/tables.h"
#include "support/hash.h"

namespace mansard::analysis {

struct LaunchSignature {
  store::StringId name = 0;
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int32_t dynamic_shared_bytes = 0;
  auto operator<=>(const LaunchSignature&) const = default;
};

struct LaunchSignatureHash {
  std::size_t operator()(const LaunchSignature& s) const {
    return HashBuilder().add(s.name).add(s.grid).add(s.block).add(s.dynamic_shared_bytes).hash();
  }
};

// `r` is a KernelRecord or a CounterReading.
template <class Record>
LaunchSignature signature_of(const Record& r) {
  return {r.mangled_name != 0 ? r.mangled_name : r.demangled_name, r.grid, r.block,
          r.dynamic_shared_bytes};
}

}  // namespace mansard::analysis
