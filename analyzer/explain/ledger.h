// SPDX-License-Identifier: Apache-2.0
// The gap ledger: causes whose times add up exactly from an ideal time to the measured time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// A kernel, a class of kernels or an idle cause that a line consists of. Times are per step.
// baseline_s and candidate_s are measured and never negative; std::nullopt: not available, such as
// a kernel that only the other run has.
struct LedgerDetail {
  std::string label;
  std::optional<double> baseline_s;     // measured in the baseline; none for a single run
  std::optional<double> ideal_s;        // baseline_s / ratio; for a single run the SOL time
  std::optional<double> candidate_s;    // measured in the candidate, or in the single run
  double adds_s = 0;                    // its part of the line; negative: time gained
  std::optional<std::size_t> row = {};  // of the candidate, or the single run
};

struct LedgerLine {
  std::string id;     // in JSON
  std::string label;  // for people
  double time_s = 0;  // per step, added to the ideal; negative: time gained
  std::string meaning;
  std::string operation_class = {};   // of its kernels, if they are of one
  std::vector<LedgerDetail> details;  // by falling |adds_s|; they add up to time_s
};

struct Ledger {
  // Of a comparison; of a single run the same as `measured_s`.
  double baseline_s = 0;
  double ideal_s = 0;     // where the lines begin
  double measured_s = 0;  // where they end: ideal_s + the sum of all lines
  double ceiling_ratio = 1;
  std::string ratio_source;  // in words
  std::vector<LedgerLine> lines;
  std::vector<std::string> notes;
  // Single run. Kernel time per step, without exposed communication, and the part of it whose SOL
  // time is known.
  double kernel_s = 0;
  double sol_kernel_s = 0;
  // Single run: FLOPs or bytes of at least one kernel are known.
  bool work_known = false;
  // Single run: how to get SOL time for the other kernels, as sentences; empty: all have it.
  std::string advice;

  // measured - ideal - sum of the lines: rounding of the last digit, or the ledger is wrong.
  double residual_s() const;
};

struct ExplainOptions {
  std::optional<double> ceiling_ratio;  // in place of the machines' ceilings
};

// From `baseline` divided by the ratio of ceilings (ceiling_ratio.h) to a typical step of
// `candidate`. Formulas: docs/explain.md. Throws std::invalid_argument, saying which and why, when
// a run has no kernels, or no range of the
// name that its options give to steps.
Ledger explain_gap(const RunAnalysis& baseline, const RunAnalysis& candidate,
                   const ExplainOptions& options = {});

// From the SOL time of a run's kernels to its typical step.
Ledger explain_run(const RunAnalysis& run);

// The text that replaces the ledger of a single run without any SOL time.
std::string no_sol_text(const Ledger& ledger);

// For reports: a summary, the lines, and the kernels and causes of each (at most `details` a line).
Finding ledger_finding(const Ledger& ledger, const std::string& title, bool single_run,
                       std::size_t details = 8);

// The rows of one line, which its id names, out of the table of kernels of all lines: without the
// column that names the line.
Table kernels_of_line(const Table& kernels, const Cell& line_id, std::string title);

}  // namespace mansard::analysis
