// SPDX-License-Identifier: Apache-2.0
// Rows of the store about CUDA other than kernels, copies and fills: graphs run as a whole,
// waiting, memory, what tracing and lazy loading cost, streams and contexts. As in kernel_record.h,
// meanings are Nsight Systems' and times count from the session's start.
#pragma once

#include <cstdint>
#include <string>

#include "collector/store/kernel_record.h"

namespace mansard::store {

// In place of an id that an event does not have; 4294967295 in the database, as in CUPTI's records.
inline constexpr std::int32_t kNoId = -1;

// One launch of a CUDA graph, when graphs are recorded as a whole.
struct GraphRecord {  // CUPTI_ACTIVITY_KIND_GRAPH_TRACE
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = kNoId;  // of its first node; kNoId: all of it ran on the host
  std::int32_t context_id = kNoId;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int32_t graph_id = 0;
  std::int32_t graph_exec_id = 0;
};

struct SynchronizationRecord {  // CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = kNoId;
  std::int32_t context_id = kNoId;
  std::int32_t stream_id = kNoId;  // kNoId: waits for an event, or for all streams
  std::int64_t correlation_id = 0;
  std::int32_t sync_type = 0;  // ENUM_CUPTI_SYNC_TYPE
  std::int32_t event_id = kNoId;
  std::int64_t event_sync_id = 0;  // 0: none
};

enum class OverheadType : std::int32_t {  // ENUM_CUPTI_OVERHEAD_TYPE
  undefined = 0,
  unknown = 1,
  driver_compiler = 2,
  buffer_flush = 3,
  instrumentation = 4,
  resource = 5,
  module_loading = 6,
  lazy_function_loading = 7,
  command_buffer_full = 8,
  buffer_request = 9,  // this and the next are CUPTI 13.0's, and not in Nsight's schema 3.25.0
  managed_memory_tracing = 10,
};

// Whether the profiler costs this; the others happen without one too.
constexpr bool is_profilers_own(OverheadType type) {
  return (type >= OverheadType::buffer_flush && type <= OverheadType::resource) ||
         type == OverheadType::buffer_request || type == OverheadType::managed_memory_tracing;
}

struct OverheadRecord {  // CUPTI_ACTIVITY_KIND_OVERHEAD
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;      // with thread 0: of the process, of no thread that is known
  std::int64_t correlation_id = 0;  // of the call that it was part of; 0: of none
  StringId name = 0;
  OverheadType type = OverheadType::undefined;
};

enum class PoolType : std::int32_t { none = 0, local = 1, imported = 2 };  // ENUM_CUDA_MEMPOOL_TYPE

// Memory allocated or freed.
struct MemoryRecord {  // CUDA_GPU_MEMORY_USAGE_EVENTS
  std::int64_t start_ns = 0;
  std::int32_t device_id = kNoId;
  std::int32_t context_id = kNoId;
  std::int32_t stream_id = kNoId;  // kNoId: not in the order of a stream
  std::int64_t correlation_id = 0;
  std::int64_t address = 0;
  std::int64_t pc = 0;  // of the call
  std::int64_t bytes = 0;
  std::int32_t mem_kind = 0;       // ENUM_CUDA_MEM_KIND
  std::int32_t operation = 0;      // ENUM_CUDA_DEV_MEM_EVENT_OPER
  std::string name = {};           // of the variable; ""
  PoolType pool = PoolType::none;  // it comes from; the next are about this pool
  std::int64_t pool_address = 0;
  std::int64_t pool_release_threshold_bytes = 0;  // these three: of a local one
  std::int64_t pool_bytes = 0;
  std::int64_t pool_utilized_bytes = 0;
  std::int64_t pool_pid = 0;  // of an imported one
};

struct MemoryPoolRecord {  // CUDA_GPU_MEMORY_POOL_EVENTS
  std::int64_t start_ns = 0;
  std::int32_t device_id = kNoId;
  std::int64_t correlation_id = 0;
  std::int64_t address = 0;
  std::int32_t operation = 0;  // ENUM_CUDA_MEMPOOL_OPER
  PoolType pool = PoolType::none;
  std::int64_t min_bytes_to_keep = 0;        // when it is trimmed
  std::int64_t release_threshold_bytes = 0;  // these three: of a local one
  std::int64_t bytes = 0;
  std::int64_t utilized_bytes = 0;
};

struct StreamRecord {  // TARGET_INFO_CUDA_STREAM
  std::int32_t stream_id = 0;
  std::int32_t context_id = 0;
  std::int64_t pid = 0;       // 0 when it is written: the session's
  std::int32_t priority = 0;  // the lower the more urgent
  std::int32_t flag = 0;      // ENUM_CUPTI_STREAM_TYPE
};

struct ContextRecord {  // TARGET_INFO_CUDA_CONTEXT_INFO
  std::int32_t context_id = 0;
  std::int32_t device_id = 0;
  std::int32_t null_stream_id = 0;
  std::int64_t pid = 0;                // 0 when it is written: the session's
  std::int32_t parent_context_id = 0;  // 0: none
  bool is_green = false;
  std::int32_t sm_count = 0;  // of a green context; 0: all
};

}  // namespace mansard::store
