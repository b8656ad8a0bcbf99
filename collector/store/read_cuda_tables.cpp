// SPDX-License-Identifier: Apache-2.0
#include "collector/store/read_tables.h"

namespace mansard::store {
namespace {

constexpr std::int64_t kNone = 0xffffffff;  // how exports write that an id of 32 bits is none

std::int32_t id_or_none(const Statement& row, int column) {
  return row.is_null(column) ? kNoId : row.integer32(column);
}

void read_graphs(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "graphId", "graphExecId", "globalPid"},
                         "start");
  while (row.step()) {
    GraphRecord& g = profile.graphs.emplace_back();
    g.start_ns = event_time(row, 0);
    g.end_ns = event_time(row, 1);
    g.device_id = ids.devices.read(row, 2, 8);
    g.context_id = row.integer32(3);
    g.stream_id = row.integer32(4);
    g.correlation_id = ids.correlations.read(row, 5, 8);
    g.graph_id = row.integer32(6);
    g.graph_exec_id = row.integer32(7);
  }
}

void read_synchronizations(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "syncType", "eventId", "eventSyncId", "globalPid", "deprecatedSyncType"},
                         "start");
  while (row.step()) {
    SynchronizationRecord& s = profile.synchronizations.emplace_back();
    s.start_ns = event_time(row, 0);
    s.end_ns = event_time(row, 1);
    s.device_id = ids.devices.read(row, 2, 9);
    s.context_id = row.integer32(3);
    s.stream_id = row.integer32(4);
    s.correlation_id = ids.correlations.read(row, 5, 9);
    // Since schema 3.17 reports of older versions have theirs in a column of its own.
    s.sync_type = row.integer32(row.integer(6) == 0 ? 10 : 6);
    s.event_id = row.integer32(7);
    s.event_sync_id = row.integer(8) == kNone ? 0 : row.integer(8);
  }
}

void read_overheads(Database& database, RowIds& ids, Profile& profile) {
  Statement row =
      select(database, "CUPTI_ACTIVITY_KIND_OVERHEAD",
             {"start", "end", "globalTid", "correlationId", "nameId", "overheadType"}, "start");
  while (row.step()) {
    OverheadRecord& o = profile.overheads.emplace_back();
    o.start_ns = event_time(row, 0);
    o.end_ns = event_time(row, 1);
    o.global_tid = row.integer(2);
    // Of no thread that is known: of no call either, that it could be mistaken for.
    o.correlation_id = row.is_null(2) ? row.integer(3) : ids.correlations.read(row, 3, 2);
    o.name = row.integer(4);
    o.type = static_cast<OverheadType>(row.integer32(5));
  }
}

void read_memory(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(
      database, "CUDA_GPU_MEMORY_USAGE_EVENTS",
      {"start", "deviceId", "contextId", "address", "pc", "bytes", "memKind", "memoryOperationType",
       "name", "correlationId", "streamId", "localMemoryPoolAddress",
       "localMemoryPoolReleaseThreshold", "localMemoryPoolSize", "localMemoryPoolUtilizedSize",
       "importedMemoryPoolAddress", "importedMemoryPoolProcessId", "globalPid"},
      "start");
  while (row.step()) {
    MemoryRecord& m = profile.memory_events.emplace_back();
    m.start_ns = event_time(row, 0);
    m.device_id = ids.devices.read(row, 1, 17);
    m.context_id = row.integer32(2);
    m.address = row.integer(3);
    m.pc = row.integer(4);
    m.bytes = row.integer(5);
    m.mem_kind = row.integer32(6);
    m.operation = row.integer32(7);
    m.name = row.text(8);
    m.correlation_id = ids.correlations.read(row, 9, 17);
    m.stream_id = id_or_none(row, 10);
    if (!row.is_null(11)) {
      m.pool = PoolType::local;
      m.pool_address = row.integer(11);
      m.pool_release_threshold_bytes = row.integer(12);
      m.pool_bytes = row.integer(13);
      m.pool_utilized_bytes = row.integer(14);
    } else if (!row.is_null(15)) {
      m.pool = PoolType::imported;
      m.pool_address = row.integer(15);
      m.pool_pid = row.integer(16);
    }
  }
}

void read_memory_pools(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(database, "CUDA_GPU_MEMORY_POOL_EVENTS",
                         {"start", "deviceId", "address", "operationType", "poolType",
                          "correlationId", "minBytesToKeep", "localMemoryPoolReleaseThreshold",
                          "localMemoryPoolSize", "localMemoryPoolUtilizedSize", "globalPid"},
                         "start");
  while (row.step()) {
    MemoryPoolRecord& m = profile.memory_pool_events.emplace_back();
    m.start_ns = event_time(row, 0);
    m.device_id = ids.devices.read(row, 1, 10);
    m.address = row.integer(2);
    m.operation = row.integer32(3);
    m.pool = static_cast<PoolType>(row.integer32(4));
    m.correlation_id = ids.correlations.read(row, 5, 10);
    m.min_bytes_to_keep = row.integer(6);
    m.release_threshold_bytes = row.integer(7);
    m.bytes = row.integer(8);
    m.utilized_bytes = row.integer(9);
  }
}

void read_streams(Database& database, Profile& profile) {
  Statement row = select(database, "TARGET_INFO_CUDA_STREAM",
                         {"streamId", "contextId", "processId", "priority", "flag"}, "streamId");
  while (row.step()) {
    StreamRecord& s = profile.streams.emplace_back();
    s.stream_id = row.integer32(0);
    s.context_id = row.integer32(1);
    s.pid = row.integer(2);
    s.priority = row.integer32(3);
    s.flag = row.integer32(4);
  }
}

void read_contexts(Database& database, const RowIds& ids, Profile& profile) {
  Statement row = select(database, "TARGET_INFO_CUDA_CONTEXT_INFO",
                         {"contextId", "deviceId", "nullStreamId", "processId", "parentContextId",
                          "isGreenContext", "numMultiprocessors"},
                         "contextId");
  while (row.step()) {
    ContextRecord& c = profile.contexts.emplace_back();
    c.context_id = row.integer32(0);
    c.null_stream_id = row.integer32(2);
    c.pid = row.integer(3);
    c.device_id = ids.devices.of(row.integer32(1), c.pid);
    c.parent_context_id = row.integer32(4);
    c.is_green = row.integer(5) != 0;
    c.sm_count = row.integer32(6);
  }
}

}  // namespace

void read_cuda_tables(Database& database, RowIds& ids, Profile& profile) {
  read_graphs(database, ids, profile);
  read_synchronizations(database, ids, profile);
  read_overheads(database, ids, profile);
  read_memory(database, ids, profile);
  read_memory_pools(database, ids, profile);
  read_streams(database, profile);
  read_contexts(database, ids, profile);
}

}  // namespace mansard::store
