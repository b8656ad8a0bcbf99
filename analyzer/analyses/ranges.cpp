// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline of the program's own units: layers, passes, whole steps.
#include <algorithm>

#include "analyzer/range_kinds.h"
#include "analyzer/row_totals.h"

namespace mansard::analysis {

namespace {

Table kinds_table(const std::vector<RangeKind>& kinds) {
  Table table;
  table.id = "ranges";
  table.title = "Ranges of the program";
  table.columns = {
      {"range", "range", CellFormat::text, "", "Name, with # for numbers"},
      {"ranges", "number", CellFormat::count, "", "Of such ranges"},
      {"host_s", "on the host", CellFormat::quantity, "s", "Sum of their lengths"},
      {"kernels", "kernels", CellFormat::count, "", "Launched in them, or in ranges inside them"},
      {"time_s", "kernels' time", CellFormat::quantity, "s", "Sum over these kernels"},
      {"flop", "FLOP", CellFormat::quantity, "FLOP", "Of those whose work is known"},
      {"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s", "Over their time"},
      {"bound", "bound by", CellFormat::text, "", "The ceiling that sets the speed of light"},
      {"speed_of_light_s", "speed of light", CellFormat::quantity, "s",
       "Of all of the known work together, its precisions as they are mixed"},
      {"inefficiency", "distance", CellFormat::ratio, "", "Known kernels' time over it"},
      {"known_fraction", "known", CellFormat::fraction, "", "Of the time, with known work"},
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"range"},
                      .value_keys = {"time_s"},
                      .reference_key = "speed_of_light_s"};
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
  table.columns = {
      {"range", "range", CellFormat::text, "", "Name, with # for numbers"},
      {"tier", "tier", CellFormat::text, "", "Memory tier whose bytes are counted"},
      {"flop_per_byte", "AI", CellFormat::quantity, "FLOP/B", "Arithmetic intensity there"},
      {"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s", "Achieved"},
      {"attainable_flop_per_s", "attainable", CellFormat::quantity, "FLOP/s",
       "FLOP over the longer of compute and this tier's bandwidth time"},
      {"attained_fraction", "attained", CellFormat::fraction, "", "Achieved over attainable"},
  };
  for (const RangeKind& kind : kinds) {
    const double flop = kind.work.total_flop();
    if (!(flop > 0) || !(kind.known_s > 0)) continue;
    for (const auto& [level, bytes] : kind.work.bytes) {
      if (!(bytes > 0)) continue;
      const auto tier_s = kind.limit.bandwidth_s.find(level);
      const bool whole = kind.limit.missing_ceilings.empty() && kind.limit.compute_s > 0 &&
                         tier_s != kind.limit.bandwidth_s.end();
      const double attainable = whole ? flop / std::max(kind.limit.compute_s, tier_s->second) : 0;
      const double achieved = flop / kind.known_s;
      table.rows.push_back({kind.name, std::string(info(level).label), flop / bytes, achieved,
                            positive(attainable), quotient(achieved, attainable)});
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
