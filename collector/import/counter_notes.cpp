// SPDX-License-Identifier: Apache-2.0
#include "collector/import/counter_notes.h"

#include <algorithm>
#include <iterator>

#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"
#include "kernels/vocabulary/memory_level.h"

namespace mansard::collector {
namespace {

// A column that contains only "n/a" does not count.
bool any_has(const std::vector<NcuLaunch>& launches, std::string_view metric) {
  return std::any_of(launches.begin(), launches.end(),
                     [&](const NcuLaunch& l) { return l.value(metric).has_value(); });
}

bool any_counts(const std::vector<NcuLaunch>& launches, FlopUnit unit) {
  return std::any_of(kFlopCounters.begin(), kFlopCounters.end(), [&](const FlopCounter& counter) {
    return counter.unit == unit && any_has(launches, counter.metric);
  });
}

bool any_counts_bytes(const std::vector<NcuLaunch>& launches) {
  const NcuLaunch& first = launches.front();
  const int capability = 10 * first.compute_major + first.compute_minor;
  return std::any_of(kMemoryLevels.begin(), kMemoryLevels.end(), [&](const MemoryLevelInfo& level) {
    const auto terms = counter_terms(counter_expression(level.id, capability));
    return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const CounterTerm& term) {
      return any_has(launches, term.metric);
    });
  });
}

// Without operation counters, a kernel would appear to execute no operations.
void note_missing(const std::vector<NcuLaunch>& launches, std::vector<std::string>& notes) {
  const std::string advice = " docs/import.md lists the metrics to pass to ncu --metrics.";
  if (!any_counts(launches, FlopUnit::tensor_core)) {
    notes.push_back(
        "The table has no Tensor Core operation counters (sm__ops_path_tensor_...): FLOPs of GEMMs "
        "are missing." +
        advice);
  }
  if (!any_counts(launches, FlopUnit::cuda_core)) {
    notes.push_back(
        "The table has no CUDA core operation counters (smsp__sass_thread_inst_executed_op_...)." +
        advice);
  }
  if (!any_counts_bytes(launches)) {
    notes.push_back("The table has no byte counters of any memory tier (dram__bytes.sum, ...)." +
                    advice);
  }
  const auto untimed = std::count_if(launches.begin(), launches.end(),
                                     [](const NcuLaunch& l) { return !l.duration_ns(); });
  if (untimed > 0) {
    notes.push_back(std::to_string(untimed) +
                    " launches have no duration (gpu__time_duration.sum).");
  }
}

}  // namespace

std::vector<NcuLaunch> read_tables(const std::vector<std::filesystem::path>& files,
                                   ImportResult& result) {
  std::vector<NcuLaunch> launches;
  for (const std::filesystem::path& file : files) {
    NcuTable table = read_ncu_table(file);
    std::move(table.launches.begin(), table.launches.end(), std::back_inserter(launches));
    if (table.other_lines > 0) {
      result.skipped.count("lines that are not table rows", table.other_lines);
    }
    if (table.broken_rows > 0) {
      result.skipped.count("rows that are truncated or have no kernel name", table.broken_rows);
    }
  }
  note_missing(launches, result.notes);
  return launches;
}

std::map<std::string, double, std::less<>> stored_values(const NcuLaunch& launch) {
  auto values = launch.values;
  std::erase_if(values, [](const auto& value) {
    return value.first.starts_with("device__attribute_") || value.first.starts_with("launch__");
  });
  return values;
}

std::vector<store::GpuRecord> gpus_of(const std::vector<NcuLaunch>& launches) {
  std::map<std::int32_t, store::GpuRecord> gpus;
  for (const NcuLaunch& launch : launches) {
    const auto [at, is_new] = gpus.try_emplace(launch.device_id);
    if (!is_new) continue;
    store::GpuRecord& gpu = at->second;
    gpu.id = launch.device_id;
    gpu.name = launch.gpu_name;
    gpu.sm_count = launch.sm_count.value_or(0);
    gpu.compute_major = launch.compute_major;
    gpu.compute_minor = launch.compute_minor;
  }
  std::vector<store::GpuRecord> records;
  for (const auto& [id, gpu] : gpus) records.push_back(gpu);
  return records;
}

}  // namespace mansard::collector
