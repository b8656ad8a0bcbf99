// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <unordered_map>

#include "collector/store/read_tables.h"

namespace mansard::store {

void read_counters(Database& database, Profile& profile) {
  std::unordered_map<std::int64_t, std::size_t> by_id;
  Statement row =
      select(database, "MANSARD_COUNTER_READING",
             {"id", "start", "deviceId", "correlationId", "demangledName", "mangledName", "gridX",
              "gridY", "gridZ", "blockX", "blockY", "blockZ", "dynamicSharedMemory", "passes"},
             "start");
  while (row.step()) {
    by_id.emplace(row.integer(0), profile.counter_readings.size());
    CounterReading& r = profile.counter_readings.emplace_back();
    r.start_ns = event_time(row, 1);
    r.device_id = row.integer32(2);
    r.correlation_id = row.integer(3);
    r.demangled_name = row.integer(4);
    r.mangled_name = row.integer(5);
    for (int i = 0; i < 3; ++i) {
      r.grid[static_cast<std::size_t>(i)] = row.integer32(6 + i);
      r.block[static_cast<std::size_t>(i)] = row.integer32(9 + i);
    }
    r.dynamic_shared_bytes = row.integer32(12);
    r.passes = row.integer32(13);
  }
  Statement value =
      select(database, "MANSARD_COUNTER_VALUE", {"readingId", "metricId", "value"}, "rowid");
  while (value.step()) {
    const auto reading = by_id.find(value.integer(0));
    if (reading == by_id.end()) continue;
    const double number =
        value.is_null(2) ? std::numeric_limits<double>::quiet_NaN() : value.real(2);
    profile.counter_readings[reading->second].values.emplace_back(value.integer(1), number);
  }
}

}  // namespace mansard::store
