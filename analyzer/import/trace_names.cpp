// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/trace_names.h"

#include <array>
#include <utility>

namespace mansard::analysis {
namespace {

template <class Value>
using Names = std::pair<std::string_view, Value>;

constexpr std::array kKinds = {
    Names<TraceKind>{"kernel", TraceKind::kernel},
    Names<TraceKind>{"Kernel", TraceKind::kernel},
    Names<TraceKind>{"gpu_memcpy", TraceKind::copy},
    Names<TraceKind>{"Memcpy", TraceKind::copy},
    Names<TraceKind>{"gpu_memset", TraceKind::fill},
    Names<TraceKind>{"Memset", TraceKind::fill},
    Names<TraceKind>{"cuda_runtime", TraceKind::runtime_call},
    Names<TraceKind>{"Runtime", TraceKind::runtime_call},
    Names<TraceKind>{"cuda_driver", TraceKind::driver_call},
    Names<TraceKind>{"cuda_sync", TraceKind::synchronization},
    Names<TraceKind>{"user_annotation", TraceKind::annotation},
    Names<TraceKind>{"cpu_op", TraceKind::operation},
    Names<TraceKind>{"Operator", TraceKind::operation},
    Names<TraceKind>{"overhead", TraceKind::overhead},
    Names<TraceKind>{"gpu_user_annotation", TraceKind::ignored},
    Names<TraceKind>{"python_function", TraceKind::ignored},
    Names<TraceKind>{"Trace", TraceKind::ignored},
};

constexpr std::array kCopies = {
    Names<std::int32_t>{"HtoD", 1},  Names<std::int32_t>{"DtoH", 2}, Names<std::int32_t>{"HtoA", 3},
    Names<std::int32_t>{"AtoH", 4},  Names<std::int32_t>{"AtoA", 5}, Names<std::int32_t>{"AtoD", 6},
    Names<std::int32_t>{"DtoA", 7},  Names<std::int32_t>{"DtoD", 8}, Names<std::int32_t>{"HtoH", 9},
    Names<std::int32_t>{"PtoP", 10},
};

constexpr std::array kMemories = {
    Names<std::int32_t>{"Pageable", 0},       Names<std::int32_t>{"Pinned", 1},
    Names<std::int32_t>{"Device", 2},         Names<std::int32_t>{"Array", 3},
    Names<std::int32_t>{"Managed", 4},        Names<std::int32_t>{"Device Static", 5},
    Names<std::int32_t>{"Managed Static", 6},
};

// The first that the name contains.
constexpr std::array kWaits = {
    Names<std::int32_t>{"Stream Wait Event", 2},
    Names<std::int32_t>{"Event Sync", 1},
    Names<std::int32_t>{"Stream Sync", 3},
    Names<std::int32_t>{"Context Sync", 4},
};

constexpr std::array kOverheads = {
    Names<store::OverheadType>{"ompiler", store::OverheadType::driver_compiler},
    Names<store::OverheadType>{"Flush", store::OverheadType::buffer_flush},
    Names<store::OverheadType>{"nstrumentation", store::OverheadType::instrumentation},
    Names<store::OverheadType>{"Module", store::OverheadType::module_loading},
    Names<store::OverheadType>{"Lazy", store::OverheadType::lazy_function_loading},
    Names<store::OverheadType>{"Command Buffer", store::OverheadType::command_buffer_full},
    Names<store::OverheadType>{"Buffer Request", store::OverheadType::buffer_request},
    Names<store::OverheadType>{"Resource", store::OverheadType::resource},
};

constexpr std::array kElements = {
    Names<std::int64_t>{"Float", 4},         Names<std::int64_t>{"BFloat16", 2},
    Names<std::int64_t>{"Half", 2},          Names<std::int64_t>{"Double", 8},
    Names<std::int64_t>{"Float8_e4m3fn", 1}, Names<std::int64_t>{"Float8_e5m2", 1},
    Names<std::int64_t>{"Byte", 1},          Names<std::int64_t>{"Char", 1},
    Names<std::int64_t>{"Bool", 1},          Names<std::int64_t>{"Short", 2},
    Names<std::int64_t>{"Int", 4},           Names<std::int64_t>{"Long", 8},
    Names<std::int64_t>{"ComplexFloat", 8},  Names<std::int64_t>{"ComplexDouble", 16},
};

template <class Value, std::size_t N>
Value value_of(const std::array<Names<Value>, N>& names, std::string_view name, Value otherwise) {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  return otherwise;
}

template <class Value, std::size_t N>
Value value_within(const std::array<Names<Value>, N>& names, std::string_view text,
                   Value otherwise) {
  for (const auto& [known, value] : names) {
    if (text.find(known) != std::string_view::npos) return value;
  }
  return otherwise;
}

constexpr std::int32_t kUnknownMemory = 7;

// "" of a number that has no name.
template <class Value, std::size_t N>
std::string_view name_of(const std::array<Names<Value>, N>& names, Value value) {
  for (const auto& [known, number] : names) {
    if (number == value) return known;
  }
  return "";
}

std::string_view memory_name(std::int32_t kind) {
  const std::string_view name = name_of(kMemories, kind);
  return name.empty() ? "Unknown" : name;
}

// What stands in the last parentheses; "" without.
std::string_view in_parentheses(std::string_view name) {
  const std::size_t open = name.rfind('(');
  const std::size_t close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  return name.substr(open + 1, close - open - 1);
}

}  // namespace

TraceKind trace_kind(std::string_view category) {
  return value_of(kKinds, category, TraceKind::unknown);
}

std::string_view describe(TraceKind kind) {
  switch (kind) {
    case TraceKind::kernel:
      return "kernels";
    case TraceKind::copy:
      return "copies";
    case TraceKind::fill:
      return "fills";
    case TraceKind::runtime_call:
      return "runtime calls";
    case TraceKind::driver_call:
      return "driver calls";
    case TraceKind::synchronization:
      return "synchronizations";
    case TraceKind::annotation:
      return "annotations";
    case TraceKind::operation:
      return "operations";
    case TraceKind::overhead:
      return "profiler and driver overheads";
    case TraceKind::ignored:
    case TraceKind::unknown:
      break;
  }
  return "others";
}

CopyKinds copy_kinds(std::string_view name) {
  CopyKinds kinds;
  kinds.copy = value_within(kCopies, name, std::int32_t{0});
  const std::string_view memories = in_parentheses(name);
  constexpr std::string_view kArrow = " -> ";
  const std::size_t arrow = memories.find(kArrow);
  if (arrow == std::string_view::npos) return kinds;
  kinds.source = value_of(kMemories, memories.substr(0, arrow), kUnknownMemory);
  kinds.destination = value_of(kMemories, memories.substr(arrow + kArrow.size()), kUnknownMemory);
  return kinds;
}

std::int32_t fill_memory_kind(std::string_view name) {
  return value_of(kMemories, in_parentheses(name), kUnknownMemory);
}

std::string copy_name(const CopyKinds& kinds) {
  std::string name = "Memcpy";
  const std::string_view direction = name_of(kCopies, kinds.copy);
  if (!direction.empty()) name.append(" ").append(direction);
  name.append(" (").append(memory_name(kinds.source)).append(" -> ");
  return name.append(memory_name(kinds.destination)).append(")");
}

std::string fill_name(std::int32_t memory_kind) {
  return std::string("Memset (").append(memory_name(memory_kind)).append(")");
}

std::int32_t synchronization_type(std::string_view name) {
  return value_within(kWaits, name, std::int32_t{0});
}

store::OverheadType overhead_type(std::string_view name) {
  return value_within(kOverheads, name, store::OverheadType::unknown);
}

std::int64_t element_bytes(std::string_view element_type) {
  return value_of(kElements, element_type, std::int64_t{0});
}

}  // namespace mansard::analysis
