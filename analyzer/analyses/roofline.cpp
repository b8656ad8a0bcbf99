// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline as a table: one point for each row and memory tier.
#include <algorithm>
#include <functional>

#include "analyzer/kernel_columns.h"
#include "analyzer/roofline_columns.h"
#include "analyzer/step_tiers.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// " Per byte sent over NVLink, a step computes 12 kFLOP; ..."
std::string link_text(const RunUnit& unit, const std::vector<TierPoint>& points) {
  std::string text;
  for (const TierPoint& point : points) {
    if (!is_link(point.level)) continue;
    text += " The " + std::string(unit.name()) + " has " +
            format_si(point.flop_per_byte, "FLOP/B") + " over " +
            std::string(info(point.level).label);
    if (const auto ridge = ridge_flop_per_byte(point)) {
      text += "; the ridge point is " + format_si(*ridge, "FLOP/B") + " with " + point.roof->id;
    }
    text += ".";
  }
  return text;
}

Table step_table(const RunUnit& unit, const std::vector<TierPoint>& points) {
  const ColumnsOf<TierPoint>& columns = step_tier_columns();
  const std::string name(unit.name());
  Table table{"step_tiers", "The whole " + name + " by tier", heads(columns), {}};
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"tier", "roof"},
                      .value_keys = {"flop_per_byte"},
                      .more_is_better = true,
                      .reference_key = "ridge_flop_per_byte"};
  for (const TierPoint& point : points) table.add(cells(columns, point), {});
  return table;
}

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
  const RunUnit unit(run);
  const StepTiers step(run, unit);
  if (!step.points().empty()) {
    finding.summary += link_text(unit, step.points());
    finding.tables.push_back(step_table(unit, step.points()));
  }
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
