// SPDX-License-Identifier: Apache-2.0
// Counts that a table of Nsight Compute implies. Its own roofline, for one, reads rates only.
#include <cmath>
#include <string>

#include "collector/import/ncu_table.h"

namespace mansard::collector {
namespace {

// Unless the table has it; "n/a" is not having it.
void complete(NcuLaunch& launch, const std::string& metric, double value) {
  if (!launch.value(metric)) launch.values[metric] = value;
}

// "x.sum" from "x.sum.per_second" and "x.sum.per_cycle_elapsed".
void add_from_rates(NcuLaunch& launch) {
  const std::optional<double> duration_ns = launch.duration_ns();
  if (!duration_ns) return;
  const double duration_s = *duration_ns * 1e-9;
  const auto add = [&](std::string_view metric, std::string_view rate, double times) {
    if (!metric.ends_with(rate)) return;
    const std::string sum(metric.substr(0, metric.size() - rate.size()));
    const std::optional<double> value = launch.value(metric);
    if (value) complete(launch, sum, *value * times);
  };
  constexpr std::string_view kPerSecond = ".per_second";
  constexpr std::string_view kPerCycle = ".per_cycle_elapsed";
  const auto before = launch.values;  // as it is added to
  for (const auto& [metric, value] : before) {
    if (metric.find(".sum.") == std::string::npos) continue;
    add(metric, kPerSecond, duration_s);
    // Cycles of the unit that the metric is of: "smsp__..." counts smsp's.
    const std::string unit = metric.substr(0, metric.find("__"));
    const auto clock_hz = launch.value(unit + "__cycles_elapsed.avg.per_second");
    if (clock_hz) add(metric, kPerCycle, *clock_hz * duration_s);
  }
}

void add_sum(NcuLaunch& launch, const std::string& sum, std::string_view a, std::string_view b) {
  const std::optional<double> first = launch.value(a);
  const std::optional<double> second = launch.value(b);
  if (first && second) complete(launch, sum, *first + *second);
}

// Counted by whole SMs in older versions, by their quarters in newer ones: the sums are the same.
void rename_thread_instructions(NcuLaunch& launch) {
  constexpr std::string_view kOld = "sm__sass_thread_inst_executed_op_";
  const auto before = launch.values;
  for (const auto& [metric, value] : before) {
    if (metric.starts_with(kOld) && metric.ends_with(".sum") && std::isfinite(value)) {
      complete(launch, "smsp" + metric.substr(2), value);
    }
  }
}

}  // namespace

void complete_counts(NcuLaunch& launch) {
  for (const char* name : {"gpu__time_duration.avg", "gpu__time_duration.max"}) {
    if (const auto duration = launch.value(name)) {
      complete(launch, "gpu__time_duration.sum", *duration);
    }
  }
  add_from_rates(launch);
  rename_thread_instructions(launch);
  add_sum(launch, "dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum");
}

}  // namespace mansard::collector
