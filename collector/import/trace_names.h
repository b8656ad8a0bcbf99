// SPDX-License-Identifier: Apache-2.0
// Converts Kineto's names to values of Nsight Systems' enumerations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collector/store/tables.h"

namespace mansard::collector {

enum class TraceKind {
  unknown,
  ignored,  // duplicates imported events, or has no information about the run
  kernel,
  memcpy,
  memset,
  runtime_call,
  driver_call,
  synchronization,
  annotation,
  operation,
  overhead,
};

// Kind for an event's category, in current or PyTorch 1.8 spelling.
TraceKind trace_kind(std::string_view category);
std::string_view describe(TraceKind kind);  // "kernels"
constexpr bool is_of_host(TraceKind kind) {
  return kind == TraceKind::runtime_call || kind == TraceKind::driver_call ||
         kind == TraceKind::annotation || kind == TraceKind::operation;
}

std::int32_t synchronization_type(std::string_view name);  // ENUM_CUPTI_SYNC_TYPE
store::OverheadType overhead_type(std::string_view name);

}  // namespace mansard::collector
