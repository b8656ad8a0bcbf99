// SPDX-License-Identifier: Apache-2.0
#include "reports/comparison_part.h"

#include <optional>
#include <stdexcept>

#include "analyzer/compare/comparison_finding.h"
#include "analyzer/compare/loss_gap.h"

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
  std::optional<analysis::Finding> loss = analysis::loss_finding(baseline, candidate);
  if (loss && baseline.rows.empty() && candidate.rows.empty()) {
    // Two files of `mansard train --record`: without launches, there is no time to compare.
    part.findings.push_back(std::move(*loss));
    return part;
  }
  attempt([&] {
    part.findings.push_back(
        analysis::ledger_finding(analysis::explain_gap(baseline, candidate, options), part.title));
  });
  if (loss) part.findings.push_back(std::move(*loss));
  attempt([&] {
    const analysis::RunComparison comparison =
        analysis::compare_runs(baseline, candidate, candidate.options.step_range);
    part.findings.push_back(analysis::comparison_finding(comparison));
    part.notes.insert(part.notes.end(), comparison.notes.begin(), comparison.notes.end());
  });
  return part;
}

}  // namespace mansard::reports
