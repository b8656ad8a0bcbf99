// SPDX-License-Identifier: Apache-2.0
// CUPTI's enumerations as Nsight Systems numbers them, where the two differ.
#pragma once

#include <cstdint>

#include <cupti.h>

#include "collector/store/tables.h"

namespace mansard::collector {

// CUPTI starts at "unknown", ENUM_CUDA_MEM_KIND at "pageable".
constexpr std::int32_t nsight_memory_kind(int kind) {
  constexpr std::int32_t kUnknown = 7;
  return kind >= 1 && kind <= 7 ? kind - 1 : kUnknown;
}

// CUPTI numbers overheads of the tool and of CUDA in the upper half of the word.
constexpr store::OverheadType nsight_overhead_type(std::int64_t kind) {
  if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) return store::OverheadType::driver_compiler;
  const bool known = kind >= CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH &&
                     kind <= CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT && kind % (1 << 16) == 0;
  return known ? static_cast<store::OverheadType>((kind >> 16) + 2) : store::OverheadType::unknown;
}

static_assert(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH) ==
              store::OverheadType::buffer_flush);
static_assert(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL) ==
              store::OverheadType::command_buffer_full);
static_assert(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT) ==
              store::OverheadType::managed_memory_tracing);

}  // namespace mansard::collector
