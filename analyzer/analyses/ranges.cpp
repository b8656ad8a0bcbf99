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

// Columns of a kind of ranges. Values per step come first, if there are steps.
ColumnsOf<RangeKind> range_columns(bool by_step) {
  using enum CellFormat;
  const auto limited = [](const RangeKind& kind) { return kind.sol.time_s > 0; };
  ColumnsOf<RangeKind> columns;
  if (by_step) {
    columns = {
        {kernel_head("step_time_s", "Total duration of the kernels of a typical step"),
         [](const RangeKind& kind) { return kind.step_time_s; }},
        {{"step_kernels", "kernels per step", count, "",
          "Kernels of a typical step launched in these ranges, nested ranges included"},
         [](const RangeKind& kind) { return kind.step_kernels; }},
        {kernel_head("step_sol_s", "T_sol x time per step / kernel time"),
         [](const RangeKind& kind) {
           return positive(kind.time_s > 0 ? kind.sol.time_s * kind.step_time_s / kind.time_s : 0);
         }},
    };
  }
  append(columns,
         {
             {kernel_head("slowdown", "T / T_sol of the kernels with known work"),
              [limited](const RangeKind& kind) {
                return limited(kind) ? quotient(kind.known_s, kind.sol.time_s) : Cell();
              }},
             {kernel_head("bound"),
              [limited](const RangeKind& kind) {
                return limited(kind) ? Cell(kind.sol.bound_label) : Cell();
              }},
             {kernel_head("flop_per_s", "F / T of the kernels with known work"),
              [](const RangeKind& kind) {
                return kind.work.total_flop() > 0 ? quotient(kind.work.total_flop(), kind.known_s)
                                                  : Cell();
              }},
             {kernel_head("known_fraction", "Share of the kernel time with known work"),
              [](const RangeKind& kind) { return quotient(kind.known_s, kind.time_s); }},
             {{"ranges", "count", count, "",
               "Number of ranges with this name; a range in which a CUDA graph was created counts "
               "once per launch of the graph"},
              [](const RangeKind& kind) { return kind.ranges; }},
             {{"host_s", "host time", quantity, "s", "Total duration of the ranges"},
              [](const RangeKind& kind) { return kind.host_s; }},
             {{"kernels", "kernels", count, "",
               "Kernels launched in these ranges, nested ranges included"},
              [](const RangeKind& kind) { return kind.kernels; }},
             {{"time_s", "kernel time", quantity, "s", "Total duration T of these kernels"},
              [](const RangeKind& kind) { return kind.time_s; }},
             {kernel_head("sol_s",
                          "T_sol of the known work of all kernels as a whole, with its mix of "
                          "precisions"),
              [](const RangeKind& kind) { return positive(kind.sol.time_s); }},
             {kernel_head("flop", "Total FLOPs F of the kernels with known work"),
              [](const RangeKind& kind) { return positive(kind.work.total_flop()); }},
         });
  return columns;
}

Table kinds_table(const RunAnalysis& run, const std::string& id, const std::string& title,
                  const Column& name, const std::vector<RangeKind>& kinds) {
  const bool by_step = has_step_times(run);
  const ColumnsOf<RangeKind> columns = range_columns(by_step);
  Table table{id, title, {name}, {}};
  append(table.columns, heads(columns));
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"range"},
                      .value_keys = {by_step ? "step_time_s" : "time_s"},
                      .reference_key = by_step ? "step_sol_s" : "sol_s"};
  for (const RangeKind& kind : kinds) {
    std::vector<Cell> line = {kind.name};
    append(line, cells(columns, kind));
    table.rows.push_back(std::move(line));
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
  const std::string per = has_step_times(run) ? ", per step" : "";
  finding.tables = {kinds_table(run, "ranges", "NVTX ranges" + per, kKindColumn, kinds)};
  if (!numbered.empty()) {
    finding.tables.push_back(
        kinds_table(run, "numbered_ranges", "NVTX ranges by number" + per, kNameColumn, numbered));
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
