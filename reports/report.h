// SPDX-License-Identifier: Apache-2.0
// A self-contained HTML page: it needs no network and no other files, and is readable without
// JavaScript.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

// A part of the report other than a run or a machine: a comparison of runs, a prediction, or the
// findings of a command.
struct ReportPart {
  std::string kind;  // one word, for the element's id: "comparison"
  std::string title;
  std::string subtitle;
  std::vector<std::string> notes;           // caveats of the result
  std::vector<analysis::Finding> findings;  // the first one is the main result
};

struct ReportInput {
  std::vector<analysis::RunAnalysis> runs;
  std::vector<roofline::MachineModel>
      machines;                        // shown in addition to the machine models of the runs
  std::string title;                   // empty: derived from the runs' or machines' names
  std::string command;                 // command line that wrote the page, for its provenance
  std::vector<ReportPart> parts = {};  // shown before the runs
};

std::string render_html(const ReportInput& input);

// Whether the report starts with a table of its runs. The comparison of two runs says the same.
bool has_runs_overview(const ReportInput& input);

// The content of the page as findings, for text formats: those of its parts, of all analyses of its
// runs, the runs' ledgers, and the machines. With several runs or machines, ids are prefixed with
// the id of the page element ("run2.kernels").
std::vector<analysis::Finding> report_findings(const ReportInput& input);

// Returns `input.machines` and the machine models of its runs, without duplicates.
std::vector<roofline::MachineModel> machines_of(const ReportInput& input);

}  // namespace mansard::reports
