// SPDX-License-Identifier: Apache-2.0
// Time by operation class, as bars that are a table.
#include <algorithm>
#include <map>

#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_theme.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

struct ClassTime {
  std::string operation_class;
  double time_s = 0;
  double limited_s = 0;  // of it, in rows whose limit is known
  double limit_s = 0;
};

std::vector<ClassTime> by_class(const analysis::RunAnalysis& run) {
  std::map<std::string, ClassTime> classes;
  for (const analysis::KernelRow& row : run.rows) {
    ClassTime& c = classes[row.operation_class];
    c.operation_class = row.operation_class;
    c.time_s += row.time_s;
    if (!row.inefficiency) continue;
    c.limited_s += row.time_s;
    c.limit_s += row.limit.time_s;
  }
  std::vector<ClassTime> sorted;
  for (auto& [name, c] : classes) sorted.push_back(std::move(c));
  std::ranges::stable_sort(sorted, std::greater{}, &ClassTime::time_s);
  return sorted;
}

std::string percent_of(double part_s, double whole_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", whole_s > 0 ? 100 * part_s / whole_s : 0);
  return text;
}

std::optional<Section> make(const SectionContext& context) {
  const std::vector<ClassTime> classes = by_class(*context.run);
  if (classes.size() < 2) return std::nullopt;
  double total_s = 0;
  for (const ClassTime& c : classes) total_s += c.time_s;
  const double longest_s = classes.front().time_s;
  Section section;
  section.title = "Time by class of operation";
  section.html =
      "<p>Each bar is the time spent; its solid part the least time that the same work needs on "
      "this machine, where the work is known.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Time by class of "
      "operation\">"
      "<table class=\"bars\"><thead><tr><th scope=\"col\">Class</th><th scope=\"col\" "
      "class=\"n\">Time</th><th scope=\"col\" class=\"n\">Share</th><th scope=\"col\" "
      "class=\"n\">At the limit</th><th aria-hidden=\"true\"></th></tr></thead>\n<tbody>\n";
  for (const ClassTime& c : classes) {
    const std::string name = c.operation_class.empty() ? "other" : one_line(c.operation_class);
    section.html +=
        "<tr data-class=\"" + escape_html(one_line(c.operation_class)) + "\"><th scope=\"row\">" +
        class_mark(c.operation_class) + escape_html(truncate_middle(name, 40)) +
        "</th><td class=\"n\">" + escape_html(format_si(c.time_s, "s")) + "</td><td class=\"n\">" +
        format_percent(total_s > 0 ? c.time_s / total_s : 0) + "</td><td class=\"n\">" +
        (c.limited_s > 0 ? escape_html(format_si(c.limit_s, "s")) : "-") +
        "</td><td class=\"bar-cell\"><span class=\"bar c\" style=\"" +
        colour_style(class_colour(c.operation_class)) +
        ";width:" + percent_of(c.time_s, longest_s) +
        "\"><span style=\"width:" + percent_of(std::min(c.limit_s, c.time_s), c.time_s) +
        "\"></span></span></td></tr>\n";
  }
  section.html += "</tbody></table></div>\n";
  return section;
}

}  // namespace

void register_run_classes(SectionRegistry& registry) {
  registry.add({"classes", SectionScope::run, 25, make});
}

}  // namespace mansard::reports
