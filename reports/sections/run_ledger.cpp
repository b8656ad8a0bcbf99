// SPDX-License-Identifier: Apache-2.0
// The ledger of a typical step: from the speed of light of its kernels to what was measured, each
// line with the kernels behind it.
#include <stdexcept>

#include "analyzer/explain/ledger.h"
#include "reports/formats/text.h"
#include "reports/section.h"
#include "reports/web/chart_svg.h"
#include "reports/web/html.h"
#include "reports/web/ledger_html.h"

namespace mansard {
namespace {

constexpr std::size_t kKernels = 12;  // to a line

std::optional<Ledger> ledger_of(const RunAnalysis& run) {
  try {
    Ledger ledger = explain_run(run, {.steps_range = run.options.steps_range, .ceiling_ratio = {}});
    // Without a speed of light there is nothing to lose against.
    if (ledger.ideal_s > 0) return ledger;
  } catch (const std::invalid_argument&) {
    // No kernels on a device, or no such steps: the run has no ledger.
  }
  return std::nullopt;
}

std::optional<Section> make(const SectionContext& context) {
  const std::optional<Ledger> ledger = ledger_of(*context.run);
  if (!ledger) return std::nullopt;
  Section section;
  section.title = "Where a step's time goes";
  const Finding finding = ledger_finding(*ledger, section.title, true, kKernels);
  section.html =
      "<p>" + escape_html(finding.summary) + "</p>\n" + html_chart(finding.tables[0]) +
      html_ledger(finding.tables[0], finding.tables[1], {"cause", "time_s", "share", "after_s"});
  for (const std::string& note : ledger->notes) {
    section.html += "<p class=\"muted\">" + escape_html(note) + "</p>\n";
  }
  return section;
}

}  // namespace

void register_run_ledger(SectionRegistry& registry) {
  registry.add({"ledger", SectionScope::run, 15, make});
}

}  // namespace mansard
