// SPDX-License-Identifier: Apache-2.0
// Records of what the program's threads did about the GPU, other than giving it work: waiting,
// allocating, and what held them up.
#include <cstdlib>

#include "collector/cupti/activity_translator.h"
#include "collector/cupti/nsight_numbers.h"
#include "collector/store/global_ids.h"

namespace mansard::collector {

static_assert(sizeof(CUpti_ActivitySynchronization2) == 56);
static_assert(sizeof(CUpti_ActivityOverhead3) == 56);
static_assert(sizeof(CUpti_ActivityMemory4) == 128);
static_assert(sizeof(CUpti_ActivityMemoryPool3) == 80);

namespace {

constexpr CUresult kNotReady = CUDA_ERROR_NOT_READY;

std::string_view name_of(store::OverheadType type) {
  switch (type) {
    case store::OverheadType::driver_compiler:
      return "JIT compilation";
    case store::OverheadType::buffer_flush:
      return "CUPTI buffer flush";
    case store::OverheadType::instrumentation:
      return "CUPTI instrumentation";
    case store::OverheadType::resource:
      return "CUPTI resource creation and destruction";
    case store::OverheadType::module_loading:
      return "Module loading";
    case store::OverheadType::lazy_function_loading:
      return "Lazy function loading";
    case store::OverheadType::command_buffer_full:
      return "Command buffer full";
    case store::OverheadType::buffer_request:
      return "CUPTI buffer request";
    case store::OverheadType::managed_memory_tracing:
      return "CUPTI managed memory tracing";
    case store::OverheadType::undefined:
    case store::OverheadType::unknown:
      break;
  }
  return "Unknown";
}

}  // namespace

void ActivityTranslator::synchronization(const CUpti_ActivitySynchronization2& r,
                                         store::ProfileWriter& writer) {
  if (r.returnValue == kNotReady) return;  // a question, of which PyTorch asks many, and no wait
  store::SynchronizationRecord s;
  if (!place(r, s)) return;
  s.device_id = objects_.device_of(r.contextId);
  s.context_id = static_cast<std::int32_t>(r.contextId);
  s.stream_id = static_cast<std::int32_t>(r.streamId);
  s.correlation_id = r.correlationId;
  s.sync_type = r.type;
  s.event_id = static_cast<std::int32_t>(r.cudaEventId);
  // 32 bits of ones in a field of 64, as the header has it, or all 64 of them.
  const std::uint64_t sync_id = r.cudaEventSyncId;
  const bool has_sync_id = sync_id != CUPTI_SYNCHRONIZATION_INVALID_VALUE && ~sync_id != 0;
  s.event_sync_id = has_sync_id ? static_cast<std::int64_t>(sync_id) : 0;
  writer.add(s);
}

void ActivityTranslator::overhead(const CUpti_ActivityOverhead3& r, store::ProfileWriter& writer) {
  // The one kind that is documented to come with more, which is the reader's to free.
  if (r.overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL) std::free(r.overheadData);
  store::OverheadRecord o;
  if (!place(r, o)) return;
  if (r.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) {
    o.global_tid = store::global_tid(r.objectId.pt.processId, r.objectId.pt.threadId);
  }
  o.correlation_id = r.correlationId;
  o.type = nsight_overhead_type(r.overheadKind);
  o.name = writer.intern(name_of(o.type));
  writer.add(o);
}

void ActivityTranslator::memory(const CUpti_ActivityMemory4& r, store::ProfileWriter& writer) {
  const int operation = r.memoryOperationType;
  if (r.timestamp == 0) return;
  if (operation != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION &&
      operation != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE) {
    return;
  }
  store::MemoryRecord m;
  m.start_ns = since_start(r.timestamp);
  m.device_id = static_cast<std::int32_t>(r.deviceId);
  m.context_id = static_cast<std::int32_t>(r.contextId);
  m.stream_id = r.isAsync != 0 ? static_cast<std::int32_t>(r.streamId) : store::kNoId;
  m.correlation_id = r.correlationId;
  m.address = static_cast<std::int64_t>(r.address);
  m.pc = static_cast<std::int64_t>(r.PC);
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.mem_kind = nsight_memory_kind(r.memoryKind);
  m.operation = operation - 1;  // ENUM_CUDA_DEV_MEM_EVENT_OPER has no "invalid"
  m.name = r.name != nullptr ? r.name : "";
  const auto& pool = r.memoryPoolConfig;
  if (pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) {
    m.pool = store::PoolType::local;
    m.pool_release_threshold_bytes = static_cast<std::int64_t>(pool.releaseThreshold);
    m.pool_bytes = static_cast<std::int64_t>(pool.pool.size);
    m.pool_utilized_bytes = static_cast<std::int64_t>(pool.utilizedSize);
  } else if (pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED) {
    m.pool = store::PoolType::imported;
    m.pool_pid = static_cast<std::int64_t>(pool.pool.processId);
  }
  if (m.pool != store::PoolType::none) m.pool_address = static_cast<std::int64_t>(pool.address);
  writer.add(m);
}

void ActivityTranslator::memory_pool(const CUpti_ActivityMemoryPool3& r,
                                     store::ProfileWriter& writer) {
  if (r.timestamp == 0) return;
  store::MemoryPoolRecord m;
  m.start_ns = since_start(r.timestamp);
  m.device_id = static_cast<std::int32_t>(r.deviceId);
  m.correlation_id = r.correlationId;
  m.address = static_cast<std::int64_t>(r.address);
  m.operation = r.memoryPoolOperationType;
  m.pool = static_cast<store::PoolType>(r.memoryPoolType);
  if (r.memoryPoolOperationType == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED) {
    m.min_bytes_to_keep = static_cast<std::int64_t>(r.minBytesToKeep);
  }
  if (m.pool == store::PoolType::local) {
    m.release_threshold_bytes = static_cast<std::int64_t>(r.releaseThreshold);
    m.bytes = static_cast<std::int64_t>(r.size);
    m.utilized_bytes = static_cast<std::int64_t>(r.utilizedSize);
  }
  writer.add(m);
}

}  // namespace mansard::collector
