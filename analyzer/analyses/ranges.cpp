// SPDX-License-Identifier: Apache-2.0
// Hierarchical roofline by NVTX range: layers, passes, whole steps.
#include "analyzer/kernel_columns.h"
#include "analyzer/range_kinds.h"
#include "analyzer/roofline_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

const Column kKindColumn = {"range", "range", CellFormat::text, "",
                            "Range name, with # for numbers"};
const Column kNameColumn = {"range", "range", CellFormat::text, "", "Range name"};

Table kinds_table(const std::string& id, const std::string& title, const Column& name,
                  const std::vector<RangeKind>& kinds) {
  Table table;
  table.id = id;
  table.title = title;
  table.columns = {
      name,
      {"ranges", "count", CellFormat::count, "",
       "Number of ranges with this name; a range in which a CUDA graph was created counts once per "
       "launch of the graph"},
      {"host_s", "host time", CellFormat::quantity, "s", "Total duration of the ranges"},
      {"kernels", "kernels", CellFormat::count, "",
       "Kernels launched in these ranges, nested ranges included"},
      {"time_s", "kernel time", CellFormat::quantity, "s", "Total duration T of these kernels"},
      kernel_head("flop", "Total FLOPs F of the kernels with known work"),
      kernel_head("flop_per_s", "F / T of the kernels with known work"),
      kernel_head("bound"),
      kernel_head("sol_s",
                  "T_sol of the known work of all kernels as a whole, with its mix of precisions"),
      kernel_head("slowdown", "T / T_sol of the kernels with known work"),
      kernel_head("known_fraction", "Share of the kernel time with known work"),
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"range"},
                      .value_keys = {"time_s"},
                      .reference_key = "sol_s"};
  for (const RangeKind& kind : kinds) {
    const double flop = kind.work.total_flop();
    const bool limited = kind.sol.time_s > 0;
    table.rows.push_back({kind.name, kind.ranges, kind.host_s, kind.kernels, kind.time_s,
                          positive(flop), flop > 0 ? quotient(flop, kind.known_s) : Cell(),
                          limited ? Cell(kind.sol.bound_label) : Cell(), positive(kind.sol.time_s),
                          limited ? quotient(kind.known_s, kind.sol.time_s) : Cell(),
                          quotient(kind.known_s, kind.time_s)});
  }
  return table;
}

Table points_table(const std::vector<RangeKind>& kinds) {
  Table table;
  table.id = "range_points";
  table.title = "Roofline points by NVTX range and memory tier";
  const ColumnsOf<TierPoint>& of_point = roofline_columns();
  table.columns = {kKindColumn};
  append(table.columns, heads(of_point));
  for (const RangeKind& kind : kinds) {
    const double flop = kind.work.total_flop();
    if (!(flop > 0) || !(kind.known_s > 0)) continue;
    for (const auto& [level, bytes] : kind.work.bytes) {
      if (!(bytes > 0)) continue;
      std::vector<Cell> line = {kind.name};
      append(line,
             cells(of_point, {kind.work, kind.sol, level, flop / bytes, flop / kind.known_s}));
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

Finding ranges(const RunAnalysis& run) {
  const auto [kinds, numbered] = range_kinds(run);
  Finding finding;
  finding.id = "ranges";
  finding.title = "Ranges";
  if (kinds.empty()) {
    finding.summary = "No kernel was launched in an NVTX range.";
    return finding;
  }
  finding.summary = format_whole(kinds.size()) +
                    " kinds of NVTX ranges launched kernels. A kernel counts in all ranges that "
                    "contain its launch, a kernel of a CUDA graph also in those that contain the "
                    "creation of its node.";
  finding.tables = {kinds_table("ranges", "NVTX ranges", kKindColumn, kinds)};
  if (!numbered.empty()) {
    finding.tables.push_back(
        kinds_table("numbered_ranges", "NVTX ranges by number", kNameColumn, numbered));
  }
  finding.tables.push_back(points_table(kinds));
  return finding;
}

}  // namespace

void register_ranges(AnalysisRegistry& registry) {
  registry.add({.name = "ranges",
                .summary = "Roofline by NVTX range: layers, passes and steps",
                .order = 45,
                .run = ranges});
}

}  // namespace mansard::analysis
