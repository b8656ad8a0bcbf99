// SPDX-License-Identifier: Apache-2.0
// The analysis "steps" as bars: the time of each device in a typical step, the causes of idle time,
// and all steps side by side.
#include <stdexcept>

#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

std::optional<analysis::Finding> steps_of(const analysis::RunAnalysis& run) {
  const analysis::AnalysisSpec* analysis = analysis::analysis_registry().find("steps");
  if (!analysis) return std::nullopt;
  try {
    return analysis->run(run);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // no range matches the steps option
  }
}

std::string values(const analysis::Table& table, bool chart, std::vector<PageFigure>& figures) {
  HtmlTableOptions options;
  options.interactive = true;
  options.max_rows = kMaxPageRows;
  options.chart = chart;
  return html_table(table, options, &figures);
}

std::string folded(const std::string& summary, const std::string& html) {
  return "<details><summary><span>" + escape_html(summary) + "</span></summary>\n" + html +
         "</details>\n";
}

std::optional<Section> make_run_steps(const SectionContext& context) {
  const std::optional<analysis::Finding> finding = steps_of(*context.run);
  if (!finding || finding->tables.empty()) return std::nullopt;
  Section section;
  section.title = finding->title;
  section.summary = finding->summary;
  section.html = "<p>" + escape_html(finding->summary) + "</p>\n";
  const analysis::Table& typical = finding->tables[0];
  section.html += html_chart(typical, &section.figures) +
                  folded(typical.title, values(typical, false, section.figures));
  for (std::size_t i = 1; i < finding->tables.size(); ++i) {
    const analysis::Table& table = finding->tables[i];
    section.html += folded(table.id == "steps" ? "All steps" : table.title,
                           values(table, true, section.figures));
  }
  return section;
}

}  // namespace

void register_run_steps(SectionRegistry& registry) {
  registry.add({"steps", SectionScope::run, 16, make_run_steps});
}

}  // namespace mansard::reports
