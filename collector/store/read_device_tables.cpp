// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "collector/store/read_tables.h"
#include "collector/store/start_order.h"

namespace mansard::store {
namespace {

// As exports up to early 2021 name the table and its columns.
void read_old_gpus(Database& database, Profile& profile) {
  Statement row = select(database, "TARGET_INFO_CUDA_GPU",
                         {"deviceId", "name", "uuid", "numMultiprocessors",
                          "computeCapabilityMajor", "computeCapabilityMinor"},
                         "deviceId");
  while (row.step()) {
    GpuRecord& g = profile.gpus.emplace_back();
    g.id = row.integer32(0);
    g.name = row.text(1);
    g.uuid = complete_gpu_uuid(row.text(2));
    g.sm_count = row.integer32(3);
    g.compute_major = row.integer32(4);
    g.compute_minor = row.integer32(5);
  }
}

void read_gpus(Database& database, Profile& profile) {
  Statement row =
      select(database, "TARGET_INFO_GPU",
             {"id", "name", "uuid", "busLocation", "totalMemory", "l2CacheSize", "clockRate",
              "memoryBandwidth", "smCount", "computeMajor", "computeMinor"},
             "id");
  while (row.step()) {
    GpuRecord& g = profile.gpus.emplace_back();
    g.id = row.integer32(0);
    g.name = row.text(1);
    g.uuid = complete_gpu_uuid(row.text(2));
    g.bus_location = row.text(3);
    g.total_memory_bytes = row.integer(4);
    g.l2_bytes = row.integer(5);
    g.clock_rate_hz = row.integer(6);
    g.memory_bandwidth_bytes_per_s = row.integer(7);
    g.sm_count = row.integer32(8);
    g.compute_major = row.integer32(9);
    g.compute_minor = row.integer32(10);
  }
}

void read_memcpys(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(database, "CUPTI_ACTIVITY_KIND_MEMCPY",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "bytes", "copyKind", "srcKind", "dstKind", "graphNodeId", "globalPid"});
  while (row.step()) {
    MemcpyRecord& m = profile.memcpys.emplace_back();
    m.start_ns = event_time(row, 0);
    m.end_ns = event_time(row, 1);
    m.device_id = ids.devices.read(row, 2, 11);
    m.context_id = row.integer32(3);
    m.stream_id = row.integer32(4);
    m.correlation_id = ids.correlations.read(row, 5, 11);
    m.bytes = row.integer(6);
    m.copy_kind = row.integer32(7);
    m.src_kind = row.integer32(8);
    m.dst_kind = row.integer32(9);
    m.graph_node_id = row.integer(10);
  }
  sort_by_start(profile.memcpys);
}

void read_memsets(Database& database, RowIds& ids, Profile& profile) {
  Statement row = select(database, "CUPTI_ACTIVITY_KIND_MEMSET",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "value", "bytes", "memKind", "graphNodeId", "globalPid"});
  while (row.step()) {
    MemsetRecord& m = profile.memsets.emplace_back();
    m.start_ns = event_time(row, 0);
    m.end_ns = event_time(row, 1);
    m.device_id = ids.devices.read(row, 2, 10);
    m.context_id = row.integer32(3);
    m.stream_id = row.integer32(4);
    m.correlation_id = ids.correlations.read(row, 5, 10);
    m.value = row.integer(6);
    m.bytes = row.integer(7);
    m.mem_kind = row.integer32(8);
    m.graph_node_id = row.integer(9);
  }
  sort_by_start(profile.memsets);
}

void read_api_calls(Database& database, RowIds& ids, Profile& profile) {
  Statement row =
      select(database, "CUPTI_ACTIVITY_KIND_RUNTIME",
             {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"});
  RecordPacker<ApiRecord> calls;
  ApiRecord a;
  while (row.step()) {
    a.start_ns = event_time(row, 0);
    a.end_ns = event_time(row, 1);
    a.event_class = row.integer32(2);
    a.global_tid = row.integer(3);
    a.correlation_id = ids.correlations.read(row, 4, 3);
    a.name = row.integer(5);
    a.return_value = row.integer32(6);
    calls.add(a);
  }
  profile.api_calls = calls.finish_by_start();
}

void read_device_states(Database& database, Profile& profile) {
  Statement row =
      select(database, "MANSARD_DEVICE_STATE",
             {"timestamp", "deviceId", "smClockMHz", "memoryClockMHz", "powerMilliwatts",
              "powerIsInstant", "temperatureCelsius", "clocksEventReasons", "gpuUtilizationPercent",
              "memoryUtilizationPercent", "memoryUsedBytes"},
             "timestamp");
  const auto in_units = [&](int column, double unit) {
    return row.is_null(column) ? std::nullopt : std::optional(unit * row.real(column));
  };
  while (row.step()) {
    DeviceStateSample& s = profile.device_states.emplace_back();
    s.timestamp_ns = event_time(row, 0);
    s.device_id = row.integer32(1);
    s.sm_clock_hz = in_units(2, 1e6);
    s.memory_clock_hz = in_units(3, 1e6);
    s.power_w = in_units(4, 1e-3);
    s.power_is_instant = row.integer(5) != 0;
    s.temperature_c = in_units(6, 1);
    if (!row.is_null(7)) s.clocks_event_reasons = static_cast<std::uint64_t>(row.integer(7));
    s.gpu_utilization = in_units(8, 0.01);
    s.memory_utilization = in_units(9, 0.01);
    if (!row.is_null(10)) s.memory_used_bytes = row.integer(10);
  }
}

void read_gpu_metrics(Database& database, Profile& profile) {
  // As they were written: the rows of a sample one after the other.
  Statement row =
      select(database, "MANSARD_GPU_METRIC", {"timestamp", "deviceId", "metricId", "value"}, "");
  while (row.step()) {
    const std::int64_t end_ns = row.integer(0);
    const std::int32_t device_id = row.integer32(1);
    const bool begins = profile.gpu_metrics.empty() ||
                        profile.gpu_metrics.back().end_ns != end_ns ||
                        profile.gpu_metrics.back().device_id != device_id;
    if (begins) profile.gpu_metrics.push_back({end_ns, device_id, {}});
    profile.gpu_metrics.back().values.emplace_back(row.integer(2), row.real(3));
  }
  std::sort(profile.gpu_metrics.begin(), profile.gpu_metrics.end(),
            [](const GpuMetricSample& a, const GpuMetricSample& b) {
              return std::tie(a.end_ns, a.device_id) < std::tie(b.end_ns, b.device_id);
            });
}

}  // namespace

void read_device_tables(Database& database, RowIds& ids, Profile& profile) {
  read_gpus(database, profile);
  if (profile.gpus.empty()) read_old_gpus(database, profile);
  read_memcpys(database, ids, profile);
  read_memsets(database, ids, profile);
  read_api_calls(database, ids, profile);
  read_device_states(database, profile);
  read_gpu_metrics(database, profile);
}

}  // namespace mansard::store
