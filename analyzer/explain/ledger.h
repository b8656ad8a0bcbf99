// SPDX-License-Identifier: Apache-2.0
// The gap ledger: causes whose times add up, exactly, from a time that ought to be possible to the
// time that was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

// What a line is made of: a kernel, or an idle cause.
struct LedgerDetail {
  std::string label;
  double baseline_s = 0;  // a step; of a single run: the speed of light
  double candidate_s = 0;
  double difference_s = 0;  // its part of the line
};

struct LedgerLine {
  std::string id;     // in JSON
  std::string label;  // for people
  double time_s = 0;  // a step, added to what was ideal; negative: gained
  std::string meaning;
  std::vector<LedgerDetail> details;  // by falling |difference_s|; they add up to time_s
};

struct Ledger {
  // Of a comparison; of a single run the same as `measured_s`.
  double baseline_s = 0;
  double ideal_s = 0;     // where the lines begin
  double measured_s = 0;  // where they end: ideal_s + the sum of all lines
  double ceiling_ratio = 1;
  std::string ratio_source;  // in words
  std::vector<LedgerLine> lines;
  std::vector<std::string> notes;  // what the reader must know to trust it

  // measured - ideal - sum of the lines: rounding of the last digit, or the ledger is wrong.
  double residual_s() const;
};

struct ExplainOptions {
  std::string steps_range;              // as in find_steps
  std::optional<double> ceiling_ratio;  // in place of the machines' ceilings
};

// Where a typical step of `candidate` loses against `baseline` divided by the ratio of the ceilings
// of the precisions in which their GEMMs run. Formulas: docs/explain.md. Throws
// std::invalid_argument, saying which and why, when a run has no kernels or no such step range.
Ledger explain_gap(const RunAnalysis& baseline, const RunAnalysis& candidate,
                   const ExplainOptions& options = {});

// Where a typical step of one run loses against the speed of light of its kernels.
Ledger explain_run(const RunAnalysis& run, const ExplainOptions& options = {});

// For reports: the ledger, the kernels behind its lines (at most `details` a line), and a sentence.
Finding ledger_finding(const Ledger& ledger, const std::string& title, bool single_run,
                       std::size_t details = 8);

}  // namespace mansard
