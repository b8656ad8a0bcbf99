// SPDX-License-Identifier: Apache-2.0
// The kinds of records that are asked of CUPTI, besides kernels, without which there is no point.
#pragma once

#include <array>

#include <cupti.h>

namespace mansard::collector {

struct RecordKind {
  CUpti_ActivityKind kind;
  const char* what;  // in "CUPTI does not record ... here"
};

// A record for each, when it comes into being: also before the first window, or it is never told.
inline constexpr std::array kDescriptions = {RecordKind{CUPTI_ACTIVITY_KIND_DEVICE, "GPUs"},
                                             RecordKind{CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
                                             RecordKind{CUPTI_ACTIVITY_KIND_STREAM, "streams"}};

// Within a window only. Those below the calls come rarely: a program waits some times a step, and
// allocates at its start.
inline constexpr std::array kWindowKinds = {
    RecordKind{CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between GPUs"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMSET, "fills"},
    RecordKind{CUPTI_ACTIVITY_KIND_RUNTIME, "calls of the CUDA runtime"},
    RecordKind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronization"},
    RecordKind{CUPTI_ACTIVITY_KIND_OVERHEAD, "its own overhead"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMORY2, "allocations"},
    RecordKind{CUPTI_ACTIVITY_KIND_MEMORY_POOL, "memory pools"}};

// Instead of the kernels, copies and fills in a graph: its launches.
inline constexpr RecordKind kWholeGraphs = {
    CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
    "CUDA graphs as a whole (the kernels in them are recorded one by one instead)"};

}  // namespace mansard::collector
