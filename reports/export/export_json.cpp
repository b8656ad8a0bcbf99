// SPDX-License-Identifier: Apache-2.0
// Findings in the format of `mansard analyze --format json` (docs/schema/findings.schema.json).
#include "reports/export/export.h"
#include "reports/formats/format.h"
#include "reports/formats/notes.h"

namespace mansard::reports {

void export_json(const ExportInput& input, ByteSink& sink) {
  std::vector<analysis::Finding> findings;
  for (const analysis::AnalysisSpec& spec : analysis::analysis_registry().all()) {
    findings.push_back(spec.run(input.run));
  }
  if (!input.run.notes.empty()) {
    findings.push_back(notes_finding(input.run.notes));
  }
  sink.write(render(findings, Format::json));
}

}  // namespace mansard::reports
