// SPDX-License-Identifier: Apache-2.0
// The gap ledger: ideal time + the time of each cause = measured time, exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// One part of a line: a kernel, a class of kernels or an idle cause. Times are per step.
// baseline_s and candidate_s are measured and never negative; std::nullopt: not available, such as
// for a kernel that only the other run has.
struct LedgerDetail {
  std::string label;
  std::optional<double> baseline_s;     // measured in the baseline; unset for a single run
  std::optional<double> ideal_s;        // baseline_s / ratio; for a single run the SOL time
  std::optional<double> candidate_s;    // measured in the candidate, or in the single run
  double adds_s = 0;                    // its share of the line; negative: time saved
  std::optional<std::size_t> row = {};  // in the candidate or the single run
};

struct LedgerLine {
  std::string id;     // key in JSON
  std::string label;  // displayed
  double time_s = 0;  // per step, added to the ideal; negative: time saved
  std::string meaning;
  OperationClass operation_class = {};  // set if all of its kernels have the same class
  // Two runs: how much shorter the step would be without what the line adds, at the clock that the
  // GPU would then have. Unset for lines that cannot be removed on their own, such as clocks.
  std::optional<double> saving_s = {};
  std::vector<LedgerDetail> details;  // sorted by |adds_s|, largest first; the sum is time_s
};

enum class LedgerKind {
  step,        // single run: from the SOL time of its kernels to its typical step
  gap,         // two runs: from the ideal, baseline / ratio of ceilings, to the candidate
  prediction,  // like gap, for two predicted steps
};

struct Ledger {
  LedgerKind kind = LedgerKind::step;
  // Step time of the baseline; for a single run equal to `measured_s`.
  double baseline_s = 0;
  double ideal_s = 0;     // start of the ledger
  double measured_s = 0;  // end of the ledger: ideal_s + all lines; predicted for `prediction`
  double ceiling_ratio = 1;
  std::string ratio_source;  // where ceiling_ratio comes from, as text
  std::vector<LedgerLine> lines;
  std::vector<std::string> notes;
  // Single run: kernel time per step without exposed communication, and the part of it with known
  // SOL time.
  double kernel_s = 0;
  double sol_kernel_s = 0;
  // Single run: at least one kernel has known FLOPs or bytes.
  bool work_known = false;
  // Single run: how to get SOL time for the other kernels, as text; empty: all kernels have it.
  std::string advice;
  // Prediction: names of the two steps, and relative error (one sigma) of the speed-up. Errors that
  // both steps share cancel in part.
  std::string baseline_name;
  std::string candidate_name;
  double speed_up_error = 0;

  double speed_up() const { return baseline_s / measured_s; }
  // measured - ideal - sum of the lines. More than a rounding error is a bug.
  double residual_s() const;
};

struct ExplainOptions {
  std::optional<double> ceiling_ratio;  // overrides the ratio of the machines' ceilings
};

// Builds the ledger from the ideal, `baseline` / ratio of ceilings (ceiling_ratio.h), to a typical
// step of `candidate`. Formulas: docs/explain.md. Throws std::invalid_argument, naming the run, if
// a run has no kernels or no NVTX range with the step name of its options.
Ledger explain_gap(const RunAnalysis& baseline, const RunAnalysis& candidate,
                   const ExplainOptions& options = {});

// Builds the ledger from the SOL time of a run's kernels to its typical step.
Ledger explain_run(const RunAnalysis& run);

// Returns the ledger with its `most` largest lines, by |time_s|, in their order. A last line
// "other" is the sum of the rest, with these lines as details. One line alone is not gathered.
Ledger with_largest_lines(Ledger ledger, std::size_t most);

// " Largest lines: A 5.54 ms; B 1 ms; C 10 µs." The lines that add most; empty if none adds time.
std::string largest_lines_text(const Ledger& ledger);

// Returns the text shown instead of the ledger of a single run without any SOL time.
std::string no_sol_text(const Ledger& ledger);

// One displayed row of the ledger: the ideal, a line, or the measured step.
struct LedgerRow {
  std::string id = {};
  std::string label = {};
  std::string meaning = {};
  const LedgerLine* line = nullptr;     // null in the first and last row
  double adds_s = 0;                    // added to the step time; first row: ideal - baseline
  std::optional<double> share = {};     // of measured - ideal
  std::optional<double> after_s = {};   // ideal + all lines down to this one
  std::optional<double> speed_up = {};  // baseline / after_s
  std::optional<double> lost = {};      // speed_up of the previous row - speed_up
};

// The rows point into the ledger.
std::vector<LedgerRow> ledger_rows(const Ledger& ledger);
ColumnsOf<LedgerRow> ledger_columns(const Ledger& ledger);
std::string ledger_title(const Ledger& ledger);
Table ledger_table(const Ledger& ledger);

// Returns the kernels and causes of one line, at most `most`, largest first.
Table kernels_of_line(const Ledger& ledger, const LedgerLine& line, std::size_t most);

inline constexpr std::size_t kLedgerDetails = 8;  // default number per line

// Returns the finding for one or two runs: a summary, the lines, and at most `details` kernels and
// causes of each line. For predictions see predict/prediction_findings.h.
Finding ledger_finding(Ledger ledger, const std::string& title,
                       std::size_t details = kLedgerDetails);

}  // namespace mansard::analysis
