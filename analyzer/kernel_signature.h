// SPDX-License-Identifier: Apache-2.0
// Kernel signatures: launches of the same kernel with the same launch configuration.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "collector/store/tables.h"
#include "support/hash.h"
#include "support/text.h"

namespace mansard::analysis {

struct KernelSignature {
  store::StringId name = 0;
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int32_t dynamic_shared_bytes = 0;
  auto operator<=>(const KernelSignature&) const = default;
};

struct KernelSignatureHash {
  std::size_t operator()(const KernelSignature& s) const {
    return HashBuilder().add(s.name).add(s.grid).add(s.block).add(s.dynamic_shared_bytes).hash();
  }
};

// `r` is a KernelRecord or a CounterReading.
template <class Record>
KernelSignature signature_of(const Record& r) {
  return {r.mangled_name != 0 ? r.mangled_name : r.demangled_name, r.grid, r.block,
          r.dynamic_shared_bytes};
}

// In the syntax of a CUDA launch: "kernel <<<132x1x1, 384x1x1, 227328 B>>>"; the name alone where
// there is no grid (host work).
inline std::string kernel_signature(const std::string& name,
                                    const std::array<std::int32_t, 3>& grid,
                                    const std::array<std::int32_t, 3>& block,
                                    std::int64_t shared_bytes) {
  if (grid[0] == 0) return name;
  return name + " <<<" + extent_text(grid) + ", " + extent_text(block) + ", " +
         std::to_string(shared_bytes) + " B>>>";
}

}  // namespace mansard::analysis
