// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: no network, nothing beside the file, readable without its script.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

// What is neither a run nor a machine: a comparison of runs, a prediction, what a command found.
struct ReportPart {
  std::string kind;  // one word, for the element's id: "comparison"
  std::string title;
  std::string subtitle;
  std::vector<std::string> notes;           // what the reader must know before believing it
  std::vector<analysis::Finding> findings;  // the first one is the answer
};

struct ReportInput {
  std::vector<analysis::RunAnalysis> runs;
  std::vector<roofline::MachineModel>
      machines;                        // shown besides those that the runs were analyzed with
  std::string title;                   // empty: made from the runs' or machines' names
  std::string command;                 // that made the page, for its provenance
  std::vector<ReportPart> parts = {};  // shown before the runs
};

std::string render_html(const ReportInput& input);

// All that the page says in numbers, for the formats of text: the findings of its parts, of every
// analysis of its runs and their ledgers, and of its machines. With several runs or machines their
// ids begin with the id of the page's element ("run2.kernels").
std::vector<analysis::Finding> report_findings(const ReportInput& input);

// `input.machines` and the models its runs were analyzed with, each once.
std::vector<roofline::MachineModel> machines_of(const ReportInput& input);

}  // namespace mansard::reports
