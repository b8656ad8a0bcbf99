// SPDX-License-Identifier: Apache-2.0
// Time by class of operation, as a table with bars.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "analyzer/kernel_columns.h"
#include "reports/formats/writers.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_theme.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr double kNamedShare = 0.1;  // least share of the classes in the summary

using ClassTotals = std::pair<analysis::OperationClass, analysis::RowTotals>;

// Time and SOL time per typical step or, without steps, of the run.
struct ClassTimes {
  double time_s = 0;
  double sol_s = 0;
};

ClassTimes times_of(const analysis::RowTotals& totals, bool by_step) {
  if (by_step) return {totals.step_time_s, totals.step_sol_s};
  return {totals.time_s, totals.sol_s};
}

std::vector<ClassTotals> by_class(const analysis::RunAnalysis& run, bool by_step) {
  std::map<analysis::OperationClass, analysis::RowTotals> classes;
  for (const analysis::KernelRow& row : run.rows) classes[row.operation_class].add(row);
  std::vector<ClassTotals> sorted(classes.begin(), classes.end());
  std::ranges::stable_sort(sorted, std::greater{}, [&](const ClassTotals& c) {
    return times_of(c.second, by_step).time_s;
  });
  return sorted;
}

// The header cell of a column of kernel_columns().
std::string header(std::string_view key) {
  const analysis::Column head = analysis::kernel_head(key);
  std::string title = head.label;
  title[0] = static_cast<char>(std::toupper(title[0]));
  return std::string("<th scope=\"col\"") + (right_aligned(head) ? " class=\"n\">" : ">") + title +
         "</th>";
}

std::string percent_of(double part_s, double whole_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", whole_s > 0 ? 100 * part_s / whole_s : 0);
  return text;
}

std::optional<Section> make_run_classes(const SectionContext& context) {
  const bool by_step = analysis::has_step_times(*context.run);
  const std::vector<ClassTotals> classes = by_class(*context.run, by_step);
  if (classes.size() < 2) return std::nullopt;
  double total_s = 0;
  for (const auto& [name, totals] : classes) total_s += times_of(totals, by_step).time_s;
  const double longest_s = times_of(classes.front().second, by_step).time_s;
  Section section;
  section.title = std::string("Time by class of operation") + (by_step ? ", per step" : "");
  section.html =
      "<p>Bar: measured time. Solid part: SOL time, where FLOPs or bytes are known.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Time by class of "
      "operation\">"
      "<table class=\"bars\"><thead><tr>" +
      header("class") + header(by_step ? "step_time_s" : "time_s") + header("share") +
      header(analysis::saving_key(*context.run)) + header(by_step ? "step_sol_s" : "sol_s") +
      "<th aria-hidden=\"true\"></th></tr></thead>\n<tbody>\n";
  for (const auto& [operation_class, totals] : classes) {
    const ClassTimes c = times_of(totals, by_step);
    const std::string saving = c.sol_s > 0 ? escape_html(format_si(totals.saving_s, "s")) : "-";
    const std::string name = operation_class.empty() ? "other" : one_line(operation_class);
    section.html +=
        "<tr data-class=\"" + escape_html(one_line(operation_class)) + "\"><th scope=\"row\">" +
        class_mark(operation_class) + escape_html(truncate_middle(name, 40)) +
        "</th><td class=\"n\">" + escape_html(format_si(c.time_s, "s")) + "</td><td class=\"n\">" +
        format_percent(total_s > 0 ? c.time_s / total_s : 0) + "</td><td class=\"n\">" + saving +
        "</td><td class=\"n\">" + (c.sol_s > 0 ? escape_html(format_si(c.sol_s, "s")) : "-") +
        "</td><td class=\"bar-cell\"><span class=\"bar c\" style=\"" +
        color_style(figure::class_ink(operation_class)) +
        ";width:" + percent_of(c.time_s, longest_s) +
        "\"><span style=\"width:" + percent_of(std::min(c.sol_s, c.time_s), c.time_s) +
        "\"></span></span></td></tr>\n";
  }
  section.html += "</tbody></table></div>\n";
  for (const auto& [operation_class, c] : classes) {
    if (c.time_s < kNamedShare * total_s) break;
    section.summary += (section.summary.empty() ? "" : ", ") +
                       (operation_class.empty() ? "other" : one_line(operation_class)) + ' ' +
                       rounded_percent(c.time_s / total_s);
  }
  return section;
}

}  // namespace

void register_run_classes(SectionRegistry& registry) {
  registry.add({"classes", SectionScope::run, 25, make_run_classes});
}

}  // namespace mansard::reports
