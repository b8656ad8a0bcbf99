// SPDX-License-Identifier: Apache-2.0
// The ledger of a typical step: from the SOL time of its kernels to the measured step time, each
// line with its kernels.
#include "reports/ledger_of_run.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/ledger_html.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr std::size_t kLedgerKernels = 12;  // per line

std::optional<Section> make_run_ledger(const SectionContext& context) {
  std::optional<analysis::Ledger> ledger = ledger_of_run(*context.run);
  if (!ledger) return std::nullopt;
  Section section;
  section.title = "Where a step's time goes";
  const analysis::Finding finding =
      analysis::ledger_finding(std::move(*ledger), section.title, kLedgerKernels);
  section.html = "<p>" + escape_html(finding.summary) + "</p>\n" +
                 html_ledger(*finding.ledger, kLedgerKernels, {"cause", "time_s", "share"});
  if (auto figure = chart_figure(finding.tables[0])) section.figures.push_back(*std::move(figure));
  section.summary = format_si(finding.ledger->measured_s, "s") + " per step, SOL time " +
                    format_si(finding.ledger->ideal_s, "s");
  for (const std::string& note : finding.ledger->notes) {
    section.html += "<p class=\"muted\">" + escape_html(note) + "</p>\n";
  }
  return section;
}

}  // namespace

void register_run_ledger(SectionRegistry& registry) {
  registry.add({"ledger", SectionScope::run, 15, make_run_ledger});
}

}  // namespace mansard::reports
