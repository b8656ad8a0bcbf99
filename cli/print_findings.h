// SPDX-License-Identifier: Apache-2.0
// Findings on standard output, or in the file of --output.
#pragma once

#include <string>
#include <vector>

#include "reports/formats/format.h"

namespace mansard::cli {

struct FindingsOutput {
  std::string file;    // empty: standard output
  bool force = false;  // replace the file
  int max_rows = 0;    // per table; 0: all
  bool brief = false;  // the findings are an overview, which fits a screen
};

// Says where it wrote a file. Throws std::runtime_error if it cannot be written.
void print_findings(const std::vector<analysis::Finding>& findings, reports::Format format,
                    const FindingsOutput& output);

}  // namespace mansard::cli
