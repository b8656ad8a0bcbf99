// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline as a table: one point for each row and tier.
#include <algorithm>

#include "analyzer/row_totals.h"

namespace mansard::analysis {

namespace {

// min(P, AI * BW) = F / max(F / P, B / BW), with the machine's effective P for a mix of
// precisions. Not known (0) unless both ceilings are.
double attainable_flop_per_s(const KernelRow& row, MemoryLevel level) {
  const SpeedOfLight& limit = row.limit;
  for (const auto& [precision, flop] : row.work.flop) {
    const auto& missing = limit.missing_ceilings;
    if (std::find(missing.begin(), missing.end(), info(precision).label) != missing.end()) return 0;
  }
  const auto tier_s = limit.bandwidth_s.find(level);
  if (limit.compute_s <= 0 || tier_s == limit.bandwidth_s.end()) return 0;
  return row.work.total_flop() / std::max(limit.compute_s, tier_s->second);
}

Finding roofline_table(const RunAnalysis& run) {
  Table table;
  table.id = "roofline";
  table.title = "Points of the roofline";
  table.columns = {
      {"name", "name", CellFormat::text, "", "Without namespaces, templates and arguments"},
      {"class", "class", CellFormat::text, "", "By annotation, else by the kernel's name"},
      {"tier", "tier", CellFormat::text, "", "Memory tier whose bytes are counted"},
      {"flop_per_byte", "AI", CellFormat::quantity, "FLOP/B", "Arithmetic intensity there"},
      {"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s", "Achieved"},
      {"attainable_flop_per_s", "attainable", CellFormat::quantity, "FLOP/s",
       "Least of the compute ceiling and AI times the tier's bandwidth"},
      {"attained_fraction", "attained", CellFormat::fraction, "", "Achieved over attainable"},
      {"time_s", "time", CellFormat::quantity, "s", "Sum over launches"},
      {"row", "row", CellFormat::count, "", "Row of the kernel table, from 1"},
  };
  for (const RooflinePoint& point : run.points) {
    const KernelRow& row = run.rows[point.row];
    const double attainable = attainable_flop_per_s(row, point.level);
    table.add(
        {row.short_name, row.operation_class, std::string(info(point.level).label), point.intensity,
         point.flop_per_s, positive(attainable), quotient(point.flop_per_s, attainable), row.time_s,
         static_cast<std::int64_t>(point.row) + 1},
        {.row = point.row});
  }

  Finding finding;
  finding.id = "roofline";
  finding.title = "Roofline";
  finding.summary =
      run.points.empty()
          ? "No row has both FLOPs and bytes. Annotate ranges with flop= and a tier to place their "
            "kernels."
          : std::to_string(run.points.size()) + " points, each a row at one memory tier.";
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_roofline(AnalysisRegistry& registry) {
  registry.add({.name = "roofline",
                .summary = "Intensity, rate and attainable rate of every row at every tier",
                .order = 40,
                .run = roofline_table});
}

}  // namespace mansard::analysis
