// SPDX-License-Identifier: Apache-2.0
// The record kinds requested from CUPTI, besides kernels, which are required.
#pragma once

#include <array>

#include <cupti.h>

namespace mansard::collector {

struct RecordKind {
  CUpti_ActivityKind kind;
  const char* what;  // in "CUPTI cannot record ...: reason"
};

// CUPTI delivers one record per object, when the object is created. Enabled before the first
// window, as the records are not repeated.
inline constexpr std::array kDescriptions = {RecordKind{CUPTI_ACTIVITY_KIND_DEVICE, "GPUs"},
                                             RecordKind{CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
                                             RecordKind{CUPTI_ACTIVITY_KIND_STREAM, "streams"}};

// GPU work besides kernels, enabled within a window, and after it as long as kernels are
// (window_graphs.h).
inline constexpr std::array kWorkKinds = {
    RecordKind{CUPTI_ACTIVITY_KIND_MEMCPY, "memcpys"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMCPY2, "memcpys between GPUs"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMSET, "memsets"}};

// Enabled within a window only. The kinds after the API calls are rare: a program synchronizes a
// few times per step, and allocates at its start.
inline constexpr std::array kWindowKinds = {
    RecordKind{CUPTI_ACTIVITY_KIND_RUNTIME, "CUDA runtime API calls"},
    RecordKind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronization"},
    RecordKind{CUPTI_ACTIVITY_KIND_OVERHEAD, "its own overhead"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMORY2, "allocations"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMORY_POOL, "memory pools"}};

// Records the launches of a graph instead of its kernels, memcpys and memsets.
inline constexpr RecordKind kWholeGraphs = {
    CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
    "CUDA graphs as a whole (their kernels are recorded individually instead)"};

}  // namespace mansard::collector
