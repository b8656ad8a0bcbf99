// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_machines.h"

#include <cmath>
#include <iostream>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/report_command.h"
#include "empirical_roofline/compare_models.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

std::string verdict(const roofline::CeilingComparison& c) {
  if (c.a == nullptr) return "only in candidate";
  if (c.b == nullptr) return "only in baseline";
  if (c.uncertainty <= 0) return "uncertainty unknown";
  if (!c.significant) return "no significant difference";
  return c.ratio > 1 ? "better" : "worse";
}

analysis::Table comparison_table(const std::vector<roofline::CeilingComparison>& all) {
  analysis::Table table{"comparison", "Ceilings", {}, {}};
  table.columns = {
      {"ceiling", "ceiling", analysis::CellFormat::text, "",
       "Ceiling ID, as in the machine models."},
      {"baseline", "baseline", analysis::CellFormat::text, "", "Value on the baseline machine."},
      {"candidate", "candidate", analysis::CellFormat::text, "", "Value on the candidate machine."},
      {"ratio", "ratio", analysis::CellFormat::ratio, "",
       "Candidate / baseline; inverted for times, so above 1 is always better."},
      {"uncertainty", "±", analysis::CellFormat::fraction, "",
       "Half width of the ratio's 95 % confidence interval."},
      {"ratio_at_clock", "at equal clock", analysis::CellFormat::ratio, "",
       "Ratio of the fractions of theoretical peak at the measured clock."},
      {"verdict", "verdict", analysis::CellFormat::text, "",
       "'better' or 'worse' only if the ratio differs from 1 by more than its uncertainty."},
      {"data_pattern", "data", analysis::CellFormat::text, "", "Operand data pattern."},
      {"device", "device", analysis::CellFormat::text, "", "Device of the baseline."}};
  const auto value = [](const roofline::Ceiling* c) {
    return c == nullptr ? analysis::Cell() : analysis::Cell(format_si(c->value, c->unit));
  };
  const auto known = [](double x) { return x > 0 ? analysis::Cell(x) : analysis::Cell(); };
  for (const roofline::CeilingComparison& c : all) {
    const std::string& data = (c.a != nullptr ? c.a : c.b)->data_pattern;
    table.rows.push_back({c.id, value(c.a), value(c.b), known(c.ratio), known(c.uncertainty),
                          known(c.ratio_at_clock), verdict(c),
                          data.empty() ? analysis::Cell() : analysis::Cell(data), c.device});
  }
  return table;
}

// Counts and prints the ceilings whose ratio, or ratio at equal clock, is outside the gate.
int count_beyond_gate(const std::vector<roofline::CeilingComparison>& all,
                      const CompareMachinesOptions& o) {
  int beyond = 0;
  for (const roofline::CeilingComparison& c : all) {
    const double ratio = o.at_equal_clock ? c.ratio_at_clock : c.ratio;
    if (ratio <= 0 || std::fabs(ratio - 1) * 100 <= o.gate_percent) continue;
    ++beyond;
    char text[64];
    std::snprintf(text, sizeof text, ": %+.2f %%", 100 * (ratio - 1));
    say(c.id + text + " exceeds the gate");
  }
  return beyond;
}

}  // namespace

int compare_machines(const CompareMachinesOptions& o) {
  const roofline::MachineModel a = roofline::load_machine_model(o.baseline);
  const roofline::MachineModel b = roofline::load_machine_model(o.candidate);
  const std::vector<roofline::CeilingComparison> all = roofline::compare_models(a, b);
  int better = 0;
  int worse = 0;
  int alike = 0;
  for (const roofline::CeilingComparison& c : all) {
    if (c.uncertainty <= 0) continue;
    ++(!c.significant ? alike : c.ratio > 1 ? better : worse);
  }
  analysis::Finding finding;
  finding.id = "machine_comparison";
  finding.title = b.name + " against " + a.name;
  finding.summary = std::to_string(better) + " ceilings better, " + std::to_string(worse) +
                    " worse, " + std::to_string(alike) + " without a significant difference.";
  finding.tables = {comparison_table(all)};
  std::cout << reports::render({finding}, format_of(o.format), render_options());
  if (o.gate_percent < 0) {
    suggest_next(to_text({.machines = {o.baseline, o.candidate}, .output = "machines.html"}));
    return exit_ok;
  }
  return count_beyond_gate(all, o) == 0 ? exit_ok : exit_gate;
}

}  // namespace mansard::cli
