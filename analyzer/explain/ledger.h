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
  OperationClass operation_class = {};  // of its kernels, if they are of one
  std::vector<LedgerDetail> details;    // by falling |adds_s|; they add up to time_s
};

enum class LedgerKind {
  step,        // from the SOL time of a run's kernels to its typical step
  gap,         // from the ideal, a baseline run over the ratio of ceilings, to a candidate run
  prediction,  // likewise, of two predicted steps
};

struct Ledger {
  LedgerKind kind = LedgerKind::step;
  // The baseline's step; of a single run the same as `measured_s`.
  double baseline_s = 0;
  double ideal_s = 0;     // where the lines start
  double measured_s = 0;  // where they end: ideal_s + the sum of all lines; may be predicted
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
  // Prediction: what the two steps are called, and one sigma of the speed-up, relative: what both
  // share cancels in part.
  std::string baseline_name;
  std::string candidate_name;
  double speed_up_error = 0;

  double speed_up() const { return baseline_s / measured_s; }
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

// One row of the ledger as people read it: the ideal, a line, or the measured step.
struct LedgerRow {
  std::string id = {};
  std::string label = {};
  std::string meaning = {};
  const LedgerLine* line = nullptr;     // null at both ends
  double adds_s = 0;                    // to the step; the ideal to the baseline
  std::optional<double> share = {};     // of what the lines add up to
  std::optional<double> after_s = {};   // the step with all lines down to this one
  std::optional<double> speed_up = {};  // baseline over that
  std::optional<double> lost = {};      // of the speed-up, from the row before
};

// The rows point into the ledger.
std::vector<LedgerRow> ledger_rows(const Ledger& ledger);
ColumnsOf<LedgerRow> ledger_columns(const Ledger& ledger);
std::string ledger_title(const Ledger& ledger);
Table ledger_table(const Ledger& ledger);

// The kernels and causes of one line, the largest `most` of them.
Table kernels_of_line(const Ledger& ledger, const LedgerLine& line, std::size_t most);

inline constexpr std::size_t kLedgerDetails = 8;  // to a line, where nothing else is said

// For a run or for two: a summary, the lines, and the kernels and causes of each (at most `details`
// a line). A prediction's is in predict/prediction_findings.h.
Finding ledger_finding(Ledger ledger, const std::string& title,
                       std::size_t details = kLedgerDetails);

}  // namespace mansard::analysis
