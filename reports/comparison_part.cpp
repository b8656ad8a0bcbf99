// SPDX-License-Identifier: Apache-2.0
#include "reports/comparison_part.h"

#include <stdexcept>

#include "analyzer/compare/comparison_finding.h"

namespace mansard::reports {

ReportPart comparison_part(const analysis::RunAnalysis& baseline,
                           const analysis::RunAnalysis& candidate,
                           const analysis::ExplainOptions& options) {
  ReportPart part;
  part.kind = "comparison";
  part.title = candidate.title + " against " + baseline.title;
  part.subtitle = candidate.profile.session.command;
  const auto attempt = [&](auto make) {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      part.notes.push_back(error.what());
    } catch (const std::runtime_error& error) {
      part.notes.push_back(error.what());
    }
  };
  attempt([&] {
    part.findings.push_back(
        analysis::ledger_finding(analysis::explain_gap(baseline, candidate, options), part.title));
  });
  attempt([&] {
    const analysis::RunComparison comparison =
        analysis::compare_runs(baseline, candidate, candidate.options.step_range);
    part.findings.push_back(analysis::comparison_finding(comparison));
    part.notes.insert(part.notes.end(), comparison.notes.begin(), comparison.notes.end());
  });
  return part;
}

}  // namespace mansard::reports
