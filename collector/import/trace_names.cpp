// SPDX-License-Identifier: Apache-2.0
#include "collector/import/trace_names.h"

#include <array>
#include <utility>

namespace mansard::collector {
namespace {

template <class Value>
using Names = std::pair<std::string_view, Value>;

constexpr std::array kKinds = {
    Names<TraceKind>{"kernel", TraceKind::kernel},
    Names<TraceKind>{"Kernel", TraceKind::kernel},
    Names<TraceKind>{"gpu_memcpy", TraceKind::memcpy},
    Names<TraceKind>{"Memcpy", TraceKind::memcpy},
    Names<TraceKind>{"gpu_memset", TraceKind::memset},
    Names<TraceKind>{"Memset", TraceKind::memset},
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

// The first entry that the name contains applies.
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

}  // namespace

TraceKind trace_kind(std::string_view category) {
  return value_of(kKinds, category, TraceKind::unknown);
}

std::string_view describe(TraceKind kind) {
  switch (kind) {
    case TraceKind::kernel:
      return "kernels";
    case TraceKind::memcpy:
      return "memcpy";
    case TraceKind::memset:
      return "memset";
    case TraceKind::runtime_call:
      return "runtime API calls";
    case TraceKind::driver_call:
      return "driver API calls";
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

std::int32_t synchronization_type(std::string_view name) {
  return value_within(kWaits, name, std::int32_t{0});
}

store::OverheadType overhead_type(std::string_view name) {
  return value_within(kOverheads, name, store::OverheadType::unknown);
}

}  // namespace mansard::collector
