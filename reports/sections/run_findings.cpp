// SPDX-License-Identifier: Apache-2.0
// The results of all other analyses of `mansard analyze`, collapsed.
#include <algorithm>
#include <array>

#include "analyzer/numerics/training_curve.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

// Analyses with their own sections.
constexpr std::array<std::string_view, 5> kShownElsewhere = {"kernels", "classes", "steps", "ranks",
                                                             "numerics"};

std::optional<Section> make_run_findings(const SectionContext& context) {
  Section section;
  for (const analysis::AnalysisSpec& analysis : analysis::analysis_registry().all()) {
    if (std::ranges::find(kShownElsewhere, analysis.name) != kShownElsewhere.end()) continue;
    if (!analysis::applies(analysis, *context.run)) continue;
    const analysis::Finding finding = analysis.run(*context.run);
    std::string tables;
    for (const analysis::Table& table : finding.tables) {
      if (table.rows.empty()) continue;
      if (table.title != finding.title) tables += "<h4>" + escape_html(table.title) + "</h4>\n";
      HtmlTableOptions options;
      options.interactive = true;
      options.max_rows = kMaxPageFindingRows;
      tables += html_table(table, options, &section.figures);
    }
    if (tables.empty() && finding.summary.empty()) continue;
    section.summary += (section.summary.empty() ? "" : ", ") + finding.title;
    section.html += "<details><summary><span>" + escape_html(finding.title) + "</span> " +
                    escape_html(finding.summary) + "</summary>\n" + tables + "</details>\n";
  }
  if (section.html.empty()) return std::nullopt;
  section.title = "Analyses";
  return section;
}

}  // namespace

void register_run_findings(SectionRegistry& registry) {
  registry.add({"findings", SectionScope::run, 50, make_run_findings});
}

}  // namespace mansard::reports
