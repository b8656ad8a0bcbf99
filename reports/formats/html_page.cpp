// SPDX-License-Identifier: Apache-2.0
// Findings as a page of their own. Runs and machines with their figures are made by
// `mansard report`; this is what any other command has to say, to be passed around.
#include "reports/formats/writers.h"
#include "reports/report.h"

namespace mansard::reports {

std::string to_html(const std::vector<analysis::Finding>& findings, const RenderOptions& options) {
  ReportPart part;
  part.kind = "findings";
  part.title = findings.empty() ? "Nothing was found" : findings.front().title;
  part.findings = findings;
  return render_html({.runs = {},
                      .machines = {},
                      .title = part.title,
                      .command = options.command,
                      .parts = {part}});
}

}  // namespace mansard::reports
