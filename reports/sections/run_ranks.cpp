// SPDX-License-Identifier: Apache-2.0
// The GPUs of a job side by side, and their collectives if the profile has any: the analyses
// "ranks" and "collectives".
#include <stdexcept>

#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

std::optional<Section> section_of(std::string_view name, const SectionContext& context) {
  const analysis::AnalysisSpec* analysis = analysis::analysis_registry().find(name);
  if (!analysis) return std::nullopt;
  analysis::Finding finding;
  try {
    finding = analysis->run(*context.run);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // no range matches the steps option
  }
  if (finding.tables.empty()) return std::nullopt;
  Section section;
  section.title = finding.title;
  section.summary = finding.summary;
  section.html = "<p>" + escape_html(finding.summary) + "</p>\n";
  for (const analysis::Table& table : finding.tables) {
    section.html +=
        html_table(table, {.interactive = true, .max_rows = kMaxPageRows}, &section.figures);
  }
  return section;
}

}  // namespace

void register_run_ranks(SectionRegistry& registry) {
  for (const auto& [name, order] : {std::pair("ranks", 17), std::pair("collectives", 18)}) {
    registry.add({name, SectionScope::run, order, [which = name](const SectionContext& context) {
                    return section_of(which, context);
                  }});
  }
}

}  // namespace mansard::reports
