// SPDX-License-Identifier: Apache-2.0
#include "cli/print_findings.h"

#include <iostream>

#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/write_file.h"

namespace mansard::cli {

void print_findings(const std::vector<analysis::Finding>& findings, reports::Format format,
                    const FindingsOutput& output) {
  reports::RenderOptions options = render_options(output.max_rows);
  // A file does not depend on the width of the terminal.
  if (!output.file.empty()) options.width = reports::RenderOptions().width;
  if (output.brief) fit_overview(options);
  const std::string text = reports::render(findings, format, options);
  if (output.file.empty()) {
    std::cout << text;
    return;
  }
  write_file(output.file, text, output.force);
  say("wrote " + output.file);
}

}  // namespace mansard::cli
