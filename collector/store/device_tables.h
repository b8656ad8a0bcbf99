// SPDX-License-Identifier: Apache-2.0
// Records of GPU activity and of the GPUs, each with its table. Members have the names and meanings
// of Nsight Systems' SQLite export; times are relative to the session start; strings are ids into
// StringIds (0: none).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "collector/store/table_declaration.h"

namespace mansard::store {

using StringId = std::int64_t;

// Means that an event has no such id; 4294967295 in the database, as in CUPTI's records.
inline constexpr std::int32_t kNoId = -1;

// False for a record without timestamps, for which CUPTI reports zeros.
constexpr bool has_times(std::int64_t start_ns, std::int64_t end_ns) {
  return end_ns > 0 && end_ns >= start_ns;
}

template <class Record>
constexpr auto device_column(std::int32_t Record::*member) {
  return column("deviceId", member, ColumnKind::device);
}

template <class Record>
constexpr auto correlation_column(std::int64_t Record::*member) {
  return column("correlationId", member, ColumnKind::correlation).nullable();
}

template <class Record>
constexpr auto string_column(std::string_view name, StringId Record::*member) {
  return column(name, member, ColumnKind::string);
}

struct KernelRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  StringId demangled_name = 0;
  StringId short_name = 0;
  StringId mangled_name = 0;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::array<std::int32_t, 3> cluster = {0, 0, 0};
  std::int32_t registers_per_thread = 0;
  std::int32_t static_shared_bytes = 0;
  std::int32_t dynamic_shared_bytes = 0;
  std::int32_t local_bytes_per_thread = 0;
  std::int64_t local_bytes_total = 0;
  std::int64_t grid_id = 0;
  std::int64_t graph_node_id = 0;
  std::int32_t graph_id = 0;
  std::int32_t launch_type = 0;
};

// 0 for a kernel without timestamps.
constexpr double duration_s(const KernelRecord& kernel) {
  return has_times(kernel.start_ns, kernel.end_ns)
             ? 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns)
             : 0;
}

template <>
inline constexpr auto packed_members<KernelRecord> = std::tuple(&KernelRecord::start_ns,
                                                                &KernelRecord::end_ns,
                                                                &KernelRecord::correlation_id,
                                                                &KernelRecord::grid_id,
                                                                &KernelRecord::graph_node_id);

template <std::same_as<KernelRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUPTI_ACTIVITY_KIND_KERNEL", "", time_column("start", &R::start_ns),
      time_column("end", &R::end_ns), device_column(&R::device_id),
      column("contextId", &R::context_id), unused("greenContextId"),
      column("streamId", &R::stream_id), correlation_column(&R::correlation_id),
      recorded_process("globalPid"), string_column("demangledName", &R::demangled_name),
      string_column("shortName", &R::short_name),
      string_column("mangledName", &R::mangled_name).optional(),
      column("launchType", &R::launch_type).nullable(), unused("cacheConfig"),
      column("registersPerThread", &R::registers_per_thread), column("gridX", &R::grid, 0),
      column("gridY", &R::grid, 1), column("gridZ", &R::grid, 2), column("blockX", &R::block, 0),
      column("blockY", &R::block, 1), column("blockZ", &R::block, 2),
      column("staticSharedMemory", &R::static_shared_bytes),
      column("dynamicSharedMemory", &R::dynamic_shared_bytes),
      column("localMemoryPerThread", &R::local_bytes_per_thread),
      column("localMemoryTotal", &R::local_bytes_total), column("gridId", &R::grid_id),
      unused("sharedMemoryExecuted"), column("graphNodeId", &R::graph_node_id).optional(),
      unused("sharedMemoryLimitConfig"), unused("qmdBulkReleaseDone"), unused("qmdPreexitDone"),
      unused("qmdLastCtaDone"), column("graphId", &R::graph_id).optional(),
      column("clusterX", &R::cluster, 0).nullable(), column("clusterY", &R::cluster, 1).nullable(),
      column("clusterZ", &R::cluster, 2).nullable(), unused("clusterSchedulingPolicy"),
      unused("maxPotentialClusterSize"), unused("maxActiveClusters"),
      unused("sharedMemoryRequestedPercentage"),
      constant("tensorSizeMinusOneElements", std::string_view()));
}

struct MemcpyRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int64_t bytes = 0;
  std::int32_t copy_kind = 0;  // ENUM_CUDA_MEMCPY_OPER
  std::int32_t src_kind = 0;   // ENUM_CUDA_MEM_KIND
  std::int32_t dst_kind = 0;
  std::int64_t graph_node_id = 0;
};

template <std::same_as<MemcpyRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUPTI_ACTIVITY_KIND_MEMCPY", "", time_column("start", &R::start_ns),
      time_column("end", &R::end_ns), device_column(&R::device_id),
      column("contextId", &R::context_id), unused("greenContextId"),
      column("streamId", &R::stream_id), correlation_column(&R::correlation_id),
      recorded_process("globalPid"), column("bytes", &R::bytes), column("copyKind", &R::copy_kind),
      unused("deprecatedSrcId"), column("srcKind", &R::src_kind).nullable(),
      column("dstKind", &R::dst_kind).nullable(), unused("srcDeviceId"), unused("srcContextId"),
      unused("dstDeviceId"), unused("dstContextId"), unused("migrationCause"),
      column("graphNodeId", &R::graph_node_id).optional(), unused("virtualAddress"),
      unused("copyCount"));
}

struct MemsetRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int64_t value = 0;
  std::int64_t bytes = 0;
  std::int32_t mem_kind = 0;
  std::int64_t graph_node_id = 0;
};

template <std::same_as<MemsetRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("CUPTI_ACTIVITY_KIND_MEMSET", "", time_column("start", &R::start_ns),
                       time_column("end", &R::end_ns), device_column(&R::device_id),
                       column("contextId", &R::context_id), unused("greenContextId"),
                       column("streamId", &R::stream_id), correlation_column(&R::correlation_id),
                       recorded_process("globalPid"), column("value", &R::value),
                       column("bytes", &R::bytes),
                       column("graphNodeId", &R::graph_node_id).optional(),
                       column("memKind", &R::mem_kind).nullable());
}

// One launch of a CUDA graph, when graphs are recorded as a whole.
struct GraphRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = kNoId;  // of its first node; kNoId: all nodes ran on the host
  std::int32_t context_id = kNoId;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int32_t graph_id = 0;
  std::int32_t graph_exec_id = 0;
};

template <std::same_as<GraphRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "", time_column("start", &R::start_ns),
                       time_column("end", &R::end_ns), device_column(&R::device_id).unsigned_id(),
                       column("contextId", &R::context_id).unsigned_id(), unused("greenContextId"),
                       column("streamId", &R::stream_id).unsigned_id(),
                       correlation_column(&R::correlation_id), recorded_process("globalPid"),
                       column("graphId", &R::graph_id), column("graphExecId", &R::graph_exec_id));
}

struct SynchronizationRecord {
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

template <std::same_as<SynchronizationRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "", time_column("start", &R::start_ns),
      time_column("end", &R::end_ns), device_column(&R::device_id).unsigned_id(),
      column("contextId", &R::context_id).unsigned_id(), unused("greenContextId"),
      column("streamId", &R::stream_id).unsigned_id(), correlation_column(&R::correlation_id),
      recorded_process("globalPid"), unused("deprecatedSyncType"),
      column("syncType", &R::sync_type), column("eventId", &R::event_id).unsigned_id(),
      computed<R>(
          "eventSyncId",
          [](const R& s) {
            return s.event_sync_id != 0 ? std::optional(s.event_sync_id) : std::nullopt;
          },
          [](R& s, const auto& cell) {
            constexpr std::int64_t kNone = 0xffffffff;
            s.event_sync_id = cell.integer() == kNone ? 0 : cell.integer();
          }));
}

enum class PoolType : std::int32_t { none = 0, local = 1, imported = 2 };  // ENUM_CUDA_MEMPOOL_TYPE

// Memory allocated or freed.
struct MemoryRecord {
  std::int64_t start_ns = 0;
  std::int32_t device_id = kNoId;
  std::int32_t context_id = kNoId;
  std::int32_t stream_id = kNoId;  // kNoId: not stream-ordered
  std::int64_t correlation_id = 0;
  std::int64_t address = 0;
  std::int64_t pc = 0;  // of the call
  std::int64_t bytes = 0;
  std::int32_t mem_kind = 0;       // ENUM_CUDA_MEM_KIND
  std::int32_t operation = 0;      // ENUM_CUDA_DEV_MEM_EVENT_OPER
  std::string name = {};           // of the variable, or ""
  PoolType pool = PoolType::none;  // the pool of the memory; the next members describe this pool
  std::int64_t pool_address = 0;
  std::int64_t pool_release_threshold_bytes = 0;  // this and the next two: for local pools
  std::int64_t pool_bytes = 0;
  std::int64_t pool_utilized_bytes = 0;
  std::int64_t pool_pid = 0;  // for imported pools
};

// A value that only one kind of pool has; NULL for the others.
template <class Record>
constexpr auto pool_column(std::string_view name, PoolType kind, std::int64_t Record::*member) {
  return computed<Record>(
      name,
      [kind, member](const Record& r) {
        return r.pool == kind ? std::optional(r.*member) : std::nullopt;
      },
      [member](Record& r, const auto& cell) { r.*member = cell.integer(); });
}

// Only one of the two address columns is set, which determines the kind of pool.
constexpr auto pool_address_column(std::string_view name, PoolType kind) {
  return computed<MemoryRecord>(
      name,
      [kind](const MemoryRecord& m) {
        return m.pool == kind ? std::optional(m.pool_address) : std::nullopt;
      },
      [kind](MemoryRecord& m, const auto& cell) {
        if (m.pool != PoolType::none) return;
        m.pool = kind;
        m.pool_address = cell.integer();
      });
}

template <std::same_as<MemoryRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUDA_GPU_MEMORY_USAGE_EVENTS", "", time_column("start", &R::start_ns),
      recorded_process("globalPid").not_null(), device_column(&R::device_id).unsigned_id(),
      column("contextId", &R::context_id).unsigned_id(), column("address", &R::address),
      column("pc", &R::pc), column("bytes", &R::bytes), column("memKind", &R::mem_kind),
      column("memoryOperationType", &R::operation), column("name", &R::name).optional(),
      correlation_column(&R::correlation_id), column("streamId", &R::stream_id).optional(),
      pool_address_column("localMemoryPoolAddress", PoolType::local),
      pool_column("localMemoryPoolReleaseThreshold", PoolType::local,
                  &R::pool_release_threshold_bytes),
      pool_column("localMemoryPoolSize", PoolType::local, &R::pool_bytes),
      pool_column("localMemoryPoolUtilizedSize", PoolType::local, &R::pool_utilized_bytes),
      pool_address_column("importedMemoryPoolAddress", PoolType::imported),
      pool_column("importedMemoryPoolProcessId", PoolType::imported, &R::pool_pid));
}

struct MemoryPoolRecord {
  std::int64_t start_ns = 0;
  std::int32_t device_id = kNoId;
  std::int64_t correlation_id = 0;
  std::int64_t address = 0;
  std::int32_t operation = 0;  // ENUM_CUDA_MEMPOOL_OPER
  PoolType pool = PoolType::none;
  std::int64_t min_bytes_to_keep = 0;        // when it is trimmed
  std::int64_t release_threshold_bytes = 0;  // this and the next two: for local pools
  std::int64_t bytes = 0;
  std::int64_t utilized_bytes = 0;
};

template <std::same_as<MemoryPoolRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUDA_GPU_MEMORY_POOL_EVENTS", "", time_column("start", &R::start_ns),
      recorded_process("globalPid").not_null(), device_column(&R::device_id).unsigned_id(),
      column("address", &R::address), column("operationType", &R::operation),
      column("poolType", &R::pool), correlation_column(&R::correlation_id),
      computed<R>(
          "minBytesToKeep",
          [](const R& m) {
            constexpr std::int32_t kTrimmed = 3;
            return m.operation == kTrimmed ? std::optional(m.min_bytes_to_keep) : std::nullopt;
          },
          [](R& m, const auto& cell) { m.min_bytes_to_keep = cell.integer(); }),
      pool_column("localMemoryPoolReleaseThreshold", PoolType::local, &R::release_threshold_bytes),
      pool_column("localMemoryPoolSize", PoolType::local, &R::bytes),
      pool_column("localMemoryPoolUtilizedSize", PoolType::local, &R::utilized_bytes));
}

struct StreamRecord {
  std::int32_t stream_id = 0;
  std::int32_t context_id = 0;
  std::int64_t pid = 0;       // 0 when written: the session's
  std::int32_t priority = 0;  // lower values mean higher priority
  std::int32_t flag = 0;      // ENUM_CUPTI_STREAM_TYPE
};

template <std::same_as<StreamRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("TARGET_INFO_CUDA_STREAM", "", column("streamId", &R::stream_id),
                       constant("hwId", 0), constant("vmId", 0, ColumnKind::machine),
                       column("processId", &R::pid, ColumnKind::pid).or_recorded_process(),
                       column("contextId", &R::context_id), column("priority", &R::priority),
                       column("flag", &R::flag));
}

struct ContextRecord {
  std::int32_t context_id = 0;
  std::int32_t device_id = 0;
  std::int32_t null_stream_id = 0;
  std::int64_t pid = 0;                // 0 when written: the session's
  std::int32_t parent_context_id = 0;  // 0: none
  bool is_green = false;
  std::int32_t sm_count = 0;  // of a green context; 0: all
};

template <std::same_as<ContextRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("TARGET_INFO_CUDA_CONTEXT_INFO", "",
                       column("nullStreamId", &R::null_stream_id), constant("hwId", 0),
                       constant("vmId", 0, ColumnKind::machine),
                       column("processId", &R::pid, ColumnKind::pid).or_recorded_process(),
                       device_column(&R::device_id), column("contextId", &R::context_id),
                       column("parentContextId", &R::parent_context_id).optional(),
                       column("isGreenContext", &R::is_green).nullable(),
                       column("numMultiprocessors", &R::sm_count).optional());
}

struct GpuRecord {
  std::int32_t id = 0;
  std::string name;
  std::string uuid;
  std::string bus_location;
  std::int64_t total_memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t clock_rate_hz = 0;
  std::int64_t memory_bandwidth_bytes_per_s = 0;
  std::int32_t sm_count = 0;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
};

// Returns the UUID as NVML and CUDA write it: exports leave the prefix "GPU-" out.
inline std::string complete_gpu_uuid(std::string uuid) {
  const bool is_bare = !uuid.empty() && !uuid.starts_with("GPU-") && !uuid.starts_with("MIG-");
  return is_bare ? "GPU-" + uuid : uuid;
}

template <class Value>
constexpr auto repeated_column(std::string_view name, Value GpuRecord::*member) {
  return computed<GpuRecord>(
      name, [member](const GpuRecord& g) { return std::optional(g.*member); }, nullptr);
}

template <std::same_as<GpuRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "TARGET_INFO_GPU", "", constant("vmId", 0, ColumnKind::machine).nullable(),
      column("id", &R::id).nullable(), column("name", &R::name).nullable(),
      column("busLocation", &R::bus_location).nullable(), constant("isDiscrete", 1).nullable(),
      column("l2CacheSize", &R::l2_bytes).nullable(),
      column("totalMemory", &R::total_memory_bytes).nullable(),
      column("memoryBandwidth", &R::memory_bandwidth_bytes_per_s).nullable(),
      column("clockRate", &R::clock_rate_hz).nullable(), column("smCount", &R::sm_count).nullable(),
      unused("pwGpuId"),
      computed<R>(
          "uuid", [](const R& g) { return std::optional(std::string_view(g.uuid)); },
          [](R& g, const auto& cell) { g.uuid = complete_gpu_uuid(cell.text()); }),
      unused("luid"), unused("chipName", SqlType::text), unused("cuDevice"),
      unused("ctxswDevPath", SqlType::text), unused("ctrlDevPath", SqlType::text),
      unused("revision"), unused("nodeMask"), unused("constantMemory"), unused("maxIPC"),
      unused("maxRegistersPerBlock"), unused("maxShmemPerBlock"), unused("maxShmemPerBlockOptin"),
      unused("maxShmemPerSm"), unused("maxRegistersPerSm"), unused("threadsPerWarp"),
      unused("asyncEngines"), unused("maxWarpsPerSm"), unused("maxBlocksPerSm"),
      unused("maxThreadsPerBlock"), unused("maxBlockDimX"), unused("maxBlockDimY"),
      unused("maxBlockDimZ"), unused("maxGridDimX"), unused("maxGridDimY"), unused("maxGridDimZ"),
      column("computeMajor", &R::compute_major).nullable(),
      column("computeMinor", &R::compute_minor).nullable(),
      repeated_column("smMajor", &R::compute_major), repeated_column("smMinor", &R::compute_minor));
}

}  // namespace mansard::store
