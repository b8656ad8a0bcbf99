// SPDX-License-Identifier: Apache-2.0
// The analysis "numerics": the loss curve, the SNR of quantized tensors over the steps, and the
// tensors with the largest quantization errors.
#include "analyzer/numerics/training_curve.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_numerics(const SectionContext& context) {
  if (!analysis::has_training_record(context.run->profile)) return std::nullopt;
  const analysis::AnalysisSpec* analysis = analysis::analysis_registry().find("numerics");
  if (!analysis) return std::nullopt;
  const analysis::Finding finding = analysis->run(*context.run);
  Section section;
  section.title = finding.title;
  section.html = "<p>" + escape_html(finding.summary) + "</p>\n";
  section.summary = finding.summary;
  section.folded = !analysis::is_training_record(*context.run);
  for (const analysis::Table& table : finding.tables) {
    section.html +=
        "<h4>" + escape_html(table.title) + "</h4>\n" +
        html_result(table, {.interactive = true, .max_rows = kMaxPageRows}, &section.figures);
  }
  return section;
}

}  // namespace

void register_run_numerics(SectionRegistry& registry) {
  registry.add({"numerics", SectionScope::run, 19, make_run_numerics});
}

}  // namespace mansard::reports
