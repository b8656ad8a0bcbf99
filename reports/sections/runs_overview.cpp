// SPDX-License-Identifier: Apache-2.0
// The first section of a page of several runs: a table in which each row links to its run, the
// trend of the step time if the runs are of several days, and the parts of all steps on one scale.
#include "analyzer/compare/runs_finding.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_runs_overview(const SectionContext& context) {
  const analysis::Finding finding = analysis::runs_finding(context.input.runs);
  Section section;
  section.html = "<p class=\"lead\">" + escape_html(finding.summary) + "</p>\n";
  HtmlTableOptions options;
  options.interactive = true;
  for (std::size_t i = 0; i < context.input.runs.size(); ++i) {
    options.row_links.push_back("#" + run_id(i));
  }
  section.html += html_table(finding.tables.front(), options, &section.figures);
  // The trend comes last in the finding, and first here: it is about all runs.
  for (std::size_t i = finding.tables.size(); i-- > 1;) {
    const analysis::Table& table = finding.tables[i];
    const std::string chart = html_chart(table, &section.figures);
    if (chart.empty()) continue;
    section.html +=
        "<h3>" + escape_html(table.title) + "</h3>\n" + chart +
        "<details><summary><span>Values</span></summary>\n" +
        html_table(table, {.interactive = true, .max_rows = kMaxPageRows, .chart = false}) +
        "</details>\n";
  }
  return section;
}

}  // namespace

void register_runs_overview(SectionRegistry& registry) {
  registry.add({"overview", SectionScope::runs, 10, make_runs_overview});
}

}  // namespace mansard::reports
