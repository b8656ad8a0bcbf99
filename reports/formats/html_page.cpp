// SPDX-License-Identifier: Apache-2.0
// Findings of a command as an HTML page. `mansard report` writes the pages of runs and machines.
#include "reports/formats/writers.h"
#include "reports/report.h"

namespace mansard::reports {

std::string to_html(const std::vector<analysis::Finding>& findings, const RenderOptions& options) {
  ReportPart part;
  part.kind = "findings";
  part.title = findings.empty() ? "No findings" : findings.front().title;
  part.findings = findings;
  return render_html({.runs = {},
                      .machines = {},
                      .title = part.title,
                      .command = options.command,
                      .parts = {part}});
}

}  // namespace mansard::reports
