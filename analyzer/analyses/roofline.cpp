// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline as a table: one point for each row and memory tier.
#include <algorithm>
#include <functional>

#include "analyzer/kernel_columns.h"
#include "analyzer/roofline_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

Finding roofline_table(const RunAnalysis& run) {
  const bool by_step = has_step_times(run);
  std::vector<std::string> keys = {"name", "class"};
  if (by_step) append(keys, {"step_saving_s", "step_time_s"});
  const KernelColumns kernel = choose(kernel_columns(), keys);
  const ColumnsOf<TierPoint>& of_point = roofline_columns();
  Table table{"roofline", "Roofline points", heads(kernel), {}};
  append(table.columns, heads(of_point));
  append(table.columns, {kernel_head("time_s"),
                         {"row", "row", CellFormat::count, "",
                          "Number of the kernel by time in the whole profile, from 1"}});
  std::vector<RooflinePoint> points = run.points;
  std::ranges::stable_sort(points, std::greater(), [&](const RooflinePoint& point) {
    return run.rows[point.row].step_time_s;
  });
  for (const RooflinePoint& point : points) {
    const KernelRow& row = run.rows[point.row];
    std::vector<Cell> line = cells(kernel, KernelEntry(row));
    append(line,
           cells(of_point, {row.work, row.sol, point.level, point.intensity, point.flop_per_s}));
    append(line, {row.time_s, static_cast<std::int64_t>(point.row) + 1});
    table.add(std::move(line), {.row = point.row});
  }

  Finding finding;
  finding.id = "roofline";
  finding.title = "Roofline";
  finding.summary =
      run.points.empty()
          ? "No row has both FLOPs and bytes. To get roofline points, annotate NVTX ranges with "
            "flop= and a memory tier (hbm=)."
          : format_whole(run.points.size()) + " points, one per row and memory tier.";
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_roofline(AnalysisRegistry& registry) {
  registry.add({.name = "roofline",
                .summary = "Arithmetic intensity, achieved and attainable FLOP/s by memory tier",
                .order = 40,
                .run = roofline_table});
}

}  // namespace mansard::analysis
