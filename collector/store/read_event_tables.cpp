// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "collector/store/read_tables.h"
#include "collector/store/start_order.h"

namespace mansard::store {
namespace {

template <class Record>
std::vector<Record> read_by_start(Database& database, RowIds& ids) {
  std::vector<Record> records = read_all<Record>(database, ids);
  sort_by_start(records);
  return records;
}

std::vector<CounterReading> read_counters(Database& database, RowIds& ids) {
  std::vector<CounterReading> readings = read_by_start<CounterReading>(database, ids);
  std::unordered_map<std::int64_t, CounterReading*> by_id;
  for (CounterReading& reading : readings) by_id.emplace(reading.id, &reading);
  RowReader<table<CounterValueRow>> rows(database, ids, "rowid");
  CounterValueRow row;
  while (rows.next(row)) {
    const auto reading = by_id.find(row.reading);
    if (reading != by_id.end()) reading->second->values.emplace_back(row.metric, row.value);
  }
  return readings;
}

auto key(const GpuMetricSample& s) { return std::tie(s.end_ns, s.device_id); }

// The rows of a sample are adjacent.
std::vector<GpuMetricSample> read_gpu_metrics(Database& database, RowIds& ids) {
  std::vector<GpuMetricSample> samples;
  RowReader<table<GpuMetricRow>> rows(database, ids);
  GpuMetricRow row;
  while (rows.next(row)) {
    const bool is_new = samples.empty() || samples.back().end_ns != row.timestamp_ns ||
                        samples.back().device_id != row.device_id;
    if (is_new) samples.push_back({row.timestamp_ns, row.device_id, {}});
    samples.back().values.emplace_back(row.metric, row.value);
  }
  std::ranges::sort(samples, {}, key);
  return samples;
}

}  // namespace

void read_kernels(Database& database, RowIds& ids, RowSpan span,
                  RecordPacker<KernelRecord>& kernels) {
  RowReader<table<KernelRecord>> rows(database, ids, "", span);
  KernelRecord kernel;
  while (rows.next(kernel)) kernels.add(kernel);
}

void read_event_tables(Database& database, RowIds& ids, Profile& profile) {
  profile.gpus = read_all<GpuRecord>(database, ids, "id");
  profile.memcpys = read_by_start<MemcpyRecord>(database, ids);
  profile.memsets = read_by_start<MemsetRecord>(database, ids);
  {
    RowReader<table<ApiRecord>> rows(database, ids);
    RecordPacker<ApiRecord> calls;
    ApiRecord call;
    while (rows.next(call)) calls.add(call);
    profile.api_calls = calls.finish_by_start();
  }
  profile.device_states = read_all<DeviceStateSample>(database, ids, "timestamp");
  profile.gpu_metrics = read_gpu_metrics(database, ids);
  profile.graphs = read_by_start<GraphRecord>(database, ids);
  profile.synchronizations = read_by_start<SynchronizationRecord>(database, ids);
  profile.overheads = read_by_start<OverheadRecord>(database, ids);
  profile.memory_events = read_by_start<MemoryRecord>(database, ids);
  profile.memory_pool_events = read_by_start<MemoryPoolRecord>(database, ids);
  profile.streams = read_all<StreamRecord>(database, ids, "streamId");
  profile.contexts = read_all<ContextRecord>(database, ids, "contextId");
  profile.counter_readings = read_counters(database, ids);
  profile.graph_nodes = read_by_start<GraphNodeRecord>(database, ids);
  profile.pauses = read_by_start<PauseRecord>(database, ids);
  profile.collectives = read_by_start<CollectiveRecord>(database, ids);
}

}  // namespace mansard::store
