// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline of the program's own units: layers, passes, whole steps.
#include "analyzer/kernel_columns.h"
#include "analyzer/range_kinds.h"
#include "analyzer/roofline_columns.h"

namespace mansard::analysis {

namespace {

const Column kRangeColumn = {"range", "range", CellFormat::text, "", "Name, with # for numbers"};

Table kinds_table(const std::vector<RangeKind>& kinds) {
  Table table;
  table.id = "ranges";
  table.title = "Ranges of the program";
  table.columns = {
      kRangeColumn,
      {"ranges", "number", CellFormat::count, "", "Of such ranges"},
      {"host_s", "on the host", CellFormat::quantity, "s", "Sum of their lengths"},
      {"kernels", "kernels", CellFormat::count, "", "Launched in them, or in ranges inside them"},
      {"time_s", "kernels' time", CellFormat::quantity, "s", "Sum over these kernels"},
      kernel_head("flop", "Of those whose work is known"),
      kernel_head("flop_per_s", "Over their time"),
      kernel_head("bound"),
      kernel_head("sol_s",
                  "Of all of the known work together, its precisions as they are mixed"),
      kernel_head("slowdown", "Known kernels' time over it"),
      kernel_head("known_fraction", "Of the time, with known work"),
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"range"},
                      .value_keys = {"time_s"},
                      .reference_key = "sol_s"};
  for (const RangeKind& kind : kinds) {
    const double flop = kind.work.total_flop();
    const bool limited = kind.limit.time_s > 0;
    table.rows.push_back({kind.name, kind.ranges, kind.host_s, kind.kernels, kind.time_s,
                          positive(flop), flop > 0 ? quotient(flop, kind.known_s) : Cell(),
                          limited ? Cell(kind.limit.bound_label) : Cell(),
                          positive(kind.limit.time_s),
                          limited ? quotient(kind.known_s, kind.limit.time_s) : Cell(),
                          quotient(kind.known_s, kind.time_s)});
  }
  return table;
}

Table points_table(const std::vector<RangeKind>& kinds) {
  Table table;
  table.id = "range_points";
  table.title = "Points of the roofline, by range and tier";
  const ColumnsOf<TierPoint>& of_point = roofline_columns();
  table.columns = {kRangeColumn};
  append(table.columns, heads(of_point));
  for (const RangeKind& kind : kinds) {
    const double flop = kind.work.total_flop();
    if (!(flop > 0) || !(kind.known_s > 0)) continue;
    for (const auto& [level, bytes] : kind.work.bytes) {
      if (!(bytes > 0)) continue;
      std::vector<Cell> line = {kind.name};
      append(line,
             cells(of_point, {kind.work, kind.limit, level, flop / bytes, flop / kind.known_s}));
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

Finding ranges(const RunAnalysis& run) {
  const std::vector<RangeKind> kinds = range_kinds(run);
  Finding finding;
  finding.id = "ranges";
  finding.title = "Ranges";
  if (kinds.empty()) {
    finding.summary = "No kernel was launched within an NVTX range.";
    return finding;
  }
  finding.summary = std::to_string(kinds.size()) +
                    " kinds of ranges launched kernels. A kernel counts in each range around it.";
  finding.tables = {kinds_table(kinds), points_table(kinds)};
  return finding;
}

}  // namespace

void register_ranges(AnalysisRegistry& registry) {
  registry.add({.name = "ranges",
                .summary = "The roofline of layers, passes and steps: of the program's NVTX ranges",
                .order = 45,
                .run = ranges});
}

}  // namespace mansard::analysis
