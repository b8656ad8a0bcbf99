// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: no network, nothing beside the file, readable without its script.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

struct ReportInput {
  std::vector<RunAnalysis> runs;
  std::vector<MachineModel> machines;  // shown besides those that the runs were analysed with
  std::string title;                   // empty: made from the runs' or machines' names
  std::string command;                 // that made the page, for its provenance
};

std::string render_html(const ReportInput& input);

// `input.machines` and the models its runs were analysed with, each once.
std::vector<MachineModel> machines_of(const ReportInput& input);

}  // namespace mansard
