// SPDX-License-Identifier: Apache-2.0
// ProfileWriter's rows of cuda_record.h.
#include "collector/store/global_ids.h"
#include "collector/store/profile_tables.h"
#include "collector/store/profile_writer.h"

namespace mansard::store {
namespace {

// kNoId as CUPTI, and so Nsight Systems, writes it.
std::int64_t id(std::int32_t value) { return static_cast<std::uint32_t>(value); }

// The columns of one kind of pool are NULL for the other.
std::optional<std::int64_t> of(PoolType pool, PoolType kind, std::int64_t value) {
  return pool == kind ? std::optional(value) : std::nullopt;
}

}  // namespace

void ProfileWriter::add(const GraphRecord& g) {
  begin();
  tables_->graphs.insert(g.start_ns, g.end_ns, id(g.device_id), id(g.context_id), id(g.stream_id),
                         g.correlation_id, global_pid(pid_), g.graph_id, g.graph_exec_id);
  count_row();
}

void ProfileWriter::add(const SynchronizationRecord& s) {
  begin();
  tables_->synchronizations.insert(s.start_ns, s.end_ns, id(s.device_id), id(s.context_id),
                                   id(s.stream_id), s.correlation_id, global_pid(pid_), s.sync_type,
                                   id(s.event_id), unless(s.event_sync_id, std::int64_t{0}));
  count_row();
}

void ProfileWriter::add(const OverheadRecord& o) {
  begin();
  constexpr std::int32_t kRuntimeClass = 0;  // ENUM_NSYS_EVENT_CLASS has none of its own
  tables_->overheads.insert(o.start_ns, o.end_ns, kRuntimeClass,
                            o.global_tid != 0 ? o.global_tid : global_pid(pid_),
                            unless(o.correlation_id, std::int64_t{0}), unless(o.name, StringId{0}),
                            static_cast<std::int32_t>(o.type));
  count_row();
}

void ProfileWriter::add(const MemoryRecord& m) {
  begin();
  tables_->memory.insert(
      m.start_ns, global_pid(pid_), id(m.device_id), id(m.context_id), m.address, m.pc, m.bytes,
      m.mem_kind, m.operation, unless_empty(m.name), m.correlation_id, unless(m.stream_id, kNoId),
      of(m.pool, PoolType::local, m.pool_address),
      of(m.pool, PoolType::local, m.pool_release_threshold_bytes),
      of(m.pool, PoolType::local, m.pool_bytes), of(m.pool, PoolType::local, m.pool_utilized_bytes),
      of(m.pool, PoolType::imported, m.pool_address), of(m.pool, PoolType::imported, m.pool_pid));
  count_row();
}

void ProfileWriter::add(const MemoryPoolRecord& m) {
  begin();
  constexpr std::int32_t kTrimmed = 3;
  tables_->memory_pools.insert(
      m.start_ns, global_pid(pid_), id(m.device_id), m.address, m.operation,
      static_cast<std::int32_t>(m.pool), m.correlation_id,
      m.operation == kTrimmed ? std::optional(m.min_bytes_to_keep) : std::nullopt,
      of(m.pool, PoolType::local, m.release_threshold_bytes), of(m.pool, PoolType::local, m.bytes),
      of(m.pool, PoolType::local, m.utilized_bytes));
  count_row();
}

void ProfileWriter::add(const StreamRecord& s) {
  begin();
  tables_->streams.insert(s.stream_id, 0, 0, s.pid != 0 ? s.pid : pid_, s.context_id, s.priority,
                          s.flag);
  count_row();
}

void ProfileWriter::add(const ContextRecord& c) {
  begin();
  tables_->contexts.insert(c.null_stream_id, 0, 0, c.pid != 0 ? c.pid : pid_, c.device_id,
                           c.context_id, unless(c.parent_context_id, 0), c.is_green ? 1 : 0,
                           unless(c.sm_count, 0));
  count_row();
}

}  // namespace mansard::store
