// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "collector/store/read_tables.h"

namespace mansard::store {

RowSpan row_span(Database& database, const std::string& table) {
  if (!database.has_table(table)) return {1, 0};
  // Asked for in one query they would be looked for in all rows.
  Statement ends = database.prepare("SELECT (SELECT min(rowid) FROM " + table +
                                    "), (SELECT max(rowid) FROM " + table + ")");
  if (!ends.step() || ends.is_null(0)) return {1, 0};
  return {ends.integer(0), ends.integer(1)};
}

std::int64_t event_time(const Statement& row, int column) {
  const std::int64_t time_ns = row.integer(column);
  constexpr std::int64_t kMost_ns = std::int64_t{1} << 61;  // 73 years
  if (time_ns >= -kMost_ns && time_ns <= kMost_ns) return time_ns;
  throw ImpossibleTime("is damaged: it has an event at " + std::to_string(time_ns) +
                       " ns, more than 70 years from its start. Copy it again.");
}

void read_kernels(Database& database, RowIds& ids, RowSpan rows,
                  RecordPacker<KernelRecord>& kernels) {
  Statement row = select(database, "CUPTI_ACTIVITY_KIND_KERNEL",
                         {"start",
                          "end",
                          "deviceId",
                          "contextId",
                          "streamId",
                          "correlationId",
                          "demangledName",
                          "shortName",
                          "mangledName",
                          "gridX",
                          "gridY",
                          "gridZ",
                          "blockX",
                          "blockY",
                          "blockZ",
                          "clusterX",
                          "clusterY",
                          "clusterZ",
                          "registersPerThread",
                          "staticSharedMemory",
                          "dynamicSharedMemory",
                          "localMemoryPerThread",
                          "localMemoryTotal",
                          "gridId",
                          "graphNodeId",
                          "graphId",
                          "launchType",
                          "globalPid"},
                         "", rows);
  KernelRecord k;
  while (row.step()) {
    k.start_ns = event_time(row, 0);
    k.end_ns = event_time(row, 1);
    k.device_id = ids.devices.read(row, 2, 27);
    k.context_id = row.integer32(3);
    k.stream_id = row.integer32(4);
    k.correlation_id = ids.correlations.read(row, 5, 27);
    k.demangled_name = row.integer(6);
    k.short_name = row.integer(7);
    k.mangled_name = row.integer(8);
    k.grid = {row.integer32(9), row.integer32(10), row.integer32(11)};
    k.block = {row.integer32(12), row.integer32(13), row.integer32(14)};
    k.cluster = {row.integer32(15), row.integer32(16), row.integer32(17)};
    k.registers_per_thread = row.integer32(18);
    k.static_shared_bytes = row.integer32(19);
    k.dynamic_shared_bytes = row.integer32(20);
    k.local_bytes_per_thread = row.integer32(21);
    k.local_bytes_total = row.integer(22);
    k.grid_id = row.integer(23);
    k.graph_node_id = row.integer(24);
    k.graph_id = row.integer32(25);
    k.launch_type = row.integer32(26);
    kernels.add(k);
  }
}

}  // namespace mansard::store
