// SPDX-License-Identifier: Apache-2.0
// What Kineto says in words, as the numbers of Nsight Systems' enumerations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collector/store/tables.h"

namespace mansard::collector {

enum class TraceKind {
  unknown,
  ignored,  // repeats what is imported, or tells nothing about the run
  kernel,
  copy,
  fill,
  runtime_call,
  driver_call,
  synchronization,
  annotation,
  operation,
  overhead,
};

// Of an event's category, in the spelling of today or of PyTorch 1.8.
TraceKind trace_kind(std::string_view category);
std::string_view describe(TraceKind kind);  // "kernels"
constexpr bool is_of_host(TraceKind kind) {
  return kind == TraceKind::runtime_call || kind == TraceKind::driver_call ||
         kind == TraceKind::annotation || kind == TraceKind::operation;
}

std::int32_t synchronization_type(std::string_view name);  // ENUM_CUPTI_SYNC_TYPE
store::OverheadType overhead_type(std::string_view name);

// Of a tensor's element, by PyTorch's name ("BFloat16"); 0: not known.
std::int64_t element_bytes(std::string_view element_type);

}  // namespace mansard::collector
