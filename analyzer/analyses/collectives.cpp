// SPDX-License-Identifier: Apache-2.0
// Collectives by message size: bandwidth, and time spent waiting for other ranks.
#include <algorithm>

#include "analyzer/kernel_columns.h"
#include "analyzer/step_tiers.h"
#include "analyzer/steps/collective_times.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

struct Collective {
  std::size_t row = 0;
  CollectiveTimes times;
};

Table collectives_table(const RunAnalysis& run, const RunUnit& unit,
                        const std::vector<Collective>& collectives) {
  const std::string per = " per " + std::string(unit.name());
  Table table;
  table.id = "collectives";
  table.title = "Collectives";
  table.columns = {
      {"operation", "operation", CellFormat::text, "", "As stated by NCCL or PyTorch's profiler"},
      {"message_bytes", "message", CellFormat::quantity, "B",
       "Mean size S: a rank's buffer, the larger of two; sizes within a factor of 2 share a row"},
      {"ranks", "ranks", CellFormat::count, "", "Participating ranks n"},
      kernel_head("time_s", "Total duration of the launches" + per),
      {"exposed_s", "exposed", CellFormat::quantity, "s", "While no kernel computes" + per},
      kernel_head("step_launches"),
      {"wait_s", "wait", CellFormat::quantity, "s",
       "Mean time per launch until the last rank starts it"},
      {"transfer_s", "transfer", CellFormat::quantity, "s",
       "Mean time per launch after that; with unknown waits, all of its time"},
      {"algorithm_bytes_per_s", "algorithm bandwidth", CellFormat::quantity, "B/s",
       "S / transfer time"},
      {"bus_bytes_per_s", "bus bandwidth", CellFormat::quantity, "B/s",
       "S / transfer time x 2 (n - 1) / n for all-reduce, x (n - 1) / n for all-gather, "
       "reduce-scatter and all-to-all (n: ranks)"},
      {"of_nvlink", "NVLink SOL %", CellFormat::fraction, "",
       "Time at the NVLink ceiling / transfer time; ranks on one host only"},
      {"nccl_s", "measured call", CellFormat::quantity, "s",
       "Time of such a call in the machine model: alpha + bus bytes / beta"},
      {"of_nccl", "of measured call", CellFormat::fraction, "", "That time / transfer time"},
      {"name", "kernel", CellFormat::text, "",
       "Kernel name; names of NCCL kernels end with algorithm and protocol"},
      kernel_head("launches", "In the whole profile"),
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"operation", "message_bytes"},
                      .value_keys = {"bus_bytes_per_s"}};
  const std::vector<roofline::CollectiveFit> fits =
      run.machine ? roofline::fit_collectives(run.machine->sweep)
                  : std::vector<roofline::CollectiveFit>();
  for (const Collective& collective : collectives) {
    const KernelRow& row = run.rows[collective.row];
    const CollectiveTimes& times = collective.times;
    const double launches = static_cast<double>(row.launches);
    std::vector<Cell> cells(table.columns.size());
    if (row.message) {
      cells[0] = std::string(to_string(row.message->operation));
      cells[1] = row.message->bytes;
      if (row.message->ranks > 0) cells[2] = std::int64_t{row.message->ranks};
      cells[8] = quotient(row.message->bytes * launches, times.transfer_s);
      if (const auto bus = row.message->bus_bytes()) {
        cells[9] = quotient(*bus * launches, times.transfer_s);
      }
    }
    cells[3] = unit.duration_s(collective.row);
    cells[4] = unit.time_s(collective.row);
    if (unit.name() == "step") cells[5] = unit.launches(collective.row);
    if (times.wait_s) cells[6] = quotient(*times.wait_s, launches);
    cells[7] = quotient(times.transfer_s, launches);
    const auto nvlink = row.sol.bandwidth_s.find(MemoryLevel::nvlink);
    if (nvlink != row.sol.bandwidth_s.end()) {
      cells[10] = quotient(nvlink->second, times.transfer_s);
    }
    if (const auto call_s = row.message ? measured_call_s(*row.message, fits) : std::nullopt) {
      cells[11] = *call_s;
      cells[12] = quotient(*call_s * launches, times.transfer_s);
    }
    cells[13] = row.short_name;
    cells[14] = row.launches;
    table.add(std::move(cells), {.row = collective.row});
  }
  return table;
}

std::string summary(const RunAnalysis& run, const RunUnit& unit,
                    const std::vector<Collective>& collectives) {
  double time_s = 0;
  double exposed_s = 0;
  double unknown_s = 0;
  double best = 0;
  const KernelRow* fastest = nullptr;
  bool wait_known = true;
  for (const Collective& collective : collectives) {
    const KernelRow& row = run.rows[collective.row];
    time_s += unit.duration_s(collective.row);
    exposed_s += unit.time_s(collective.row);
    wait_known = wait_known && collective.times.wait_s;
    if (!row.message) {
      unknown_s += unit.duration_s(collective.row);
      continue;
    }
    const std::optional<double> bus = row.message->bus_bytes();
    if (!bus || !(collective.times.transfer_s > 0)) continue;
    const double rate = *bus * static_cast<double>(row.launches) / collective.times.transfer_s;
    if (rate <= best) continue;
    best = rate;
    fastest = &row;
  }
  std::string text = "Collectives take " + format_si(time_s, "s") + " per " +
                     std::string(unit.name()) + ", " + format_si(exposed_s, "s") +
                     " of it while no kernel computes.";
  if (fastest != nullptr) {
    text += " The highest bus bandwidth is " + format_si(best, "B/s") + ", of " +
            fastest->message->text();
    const roofline::Ceiling* link =
        run.machine ? run.machine->bandwidth(MemoryLevel::nvlink) : nullptr;
    if (link != nullptr && fastest->message->one_host) {
      text += "; the NVLink ceiling is " + format_si(link->value, "B/s") + " in one direction";
    }
    text += ".";
  }
  if (unknown_s > 0) {
    text += " The message size is not available for " + format_percent(unknown_s / time_s) +
            " of the time: NCCL 2.18 or newer states it (NCCL_NVTX_DISABLE unset), though not for "
            "grouped calls and CUDA graphs.";
  }
  if (!wait_known) {
    text +=
        " Transfer times include waiting for other ranks, so bandwidths are lower bounds: merge "
        "the profiles of all ranks with `mansard merge` to separate the two.";
  }
  return text;
}

Finding collectives(const RunAnalysis& run) {
  Finding finding;
  finding.id = "collectives";
  finding.title = "Collectives";
  const CollectiveArrivals arrivals(run, kCollectiveClass);
  std::vector<Collective> found;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.kind != RowKind::kernel || row.operation_class != kCollectiveClass) continue;
    if (row.launches > 0) found.push_back({i, collective_times(run, i, arrivals)});
  }
  if (found.empty()) {
    finding.summary = "The profile has no collectives.";
    return finding;
  }
  const RunUnit unit(run);
  finding.summary = summary(run, unit, found);
  finding.tables = {collectives_table(run, unit, found)};
  return finding;
}

}  // namespace

void register_collectives(AnalysisRegistry& registry) {
  registry.add({.name = "collectives",
                .summary = "Bandwidth and waiting time of collectives",
                .order = 18,
                .run = collectives});
}

}  // namespace mansard::analysis
