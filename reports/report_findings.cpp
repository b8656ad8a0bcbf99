// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "analyzer/compare/runs_finding.h"
#include "analyzer/numerics/training_curve.h"
#include "reports/formats/machine_table.h"
#include "reports/formats/notes.h"
#include "reports/formats/sweep_table.h"
#include "reports/ledger_of_run.h"
#include "reports/report.h"

namespace mansard::reports {
namespace {

// All kernels of each ledger line.
constexpr std::size_t kAllKernels = std::numeric_limits<std::size_t>::max();

void append(std::vector<analysis::Finding>& all, analysis::Finding finding,
            const std::string& prefix, const std::string& title) {
  if (!prefix.empty()) {
    finding.id = prefix + '.' + finding.id;
    finding.title = title + ": " + finding.title;
  }
  all.push_back(std::move(finding));
}

}  // namespace

std::vector<analysis::Finding> report_findings(const ReportInput& input) {
  std::vector<analysis::Finding> all;
  if (has_runs_overview(input)) all.push_back(analysis::runs_finding(input.runs));
  for (std::size_t i = 0; i < input.parts.size(); ++i) {
    const ReportPart& part = input.parts[i];
    const std::string prefix =
        input.parts.size() > 1 || !input.runs.empty() ? part.kind + std::to_string(i + 1) : "";
    for (const analysis::Finding& finding : part.findings) append(all, finding, prefix, part.title);
    if (!part.notes.empty()) append(all, notes_finding(part.notes), prefix, part.title);
  }
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const analysis::RunAnalysis& run = input.runs[i];
    const std::string prefix = input.runs.size() > 1 ? "run" + std::to_string(i + 1) : "";
    for (const analysis::AnalysisSpec& analysis : analysis::analysis_registry().all()) {
      if (analysis::applies(analysis, run)) append(all, analysis.run(run), prefix, run.title);
    }
    if (std::optional<analysis::Ledger> ledger = ledger_of_run(run)) {
      append(all,
             analysis::ledger_finding(std::move(*ledger), "Where a step's time goes", kAllKernels),
             prefix, run.title);
    }
    if (!run.notes.empty()) append(all, notes_finding(run.notes), prefix, run.title);
  }
  const std::vector<roofline::MachineModel> models = machines_of(input);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string prefix = models.size() > 1 ? "machine" + std::to_string(i + 1) : "";
    append(all, reports::machine_finding(models[i]), prefix, models[i].name);
    analysis::Finding sweep = reports::sweep_finding(models[i]);
    if (!sweep.tables.empty()) append(all, std::move(sweep), prefix, models[i].name);
  }
  return all;
}

}  // namespace mansard::reports
