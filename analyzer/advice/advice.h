// SPDX-License-Identifier: Apache-2.0
// What could be done about a run. Each rule looks for one thing, in a file of its own, and says
// nothing where the evidence lacks.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/power_model.h"
#include "analyzer/run_analysis.h"
#include "analyzer/steps/run_unit.h"

namespace mansard::analysis {

// A change that a piece of advice proposes. Times are per unit, at the present clock.
struct RowSaving {
  std::size_t row = 0;    // into RunAnalysis::rows
  double time_s = 0;      // that the row's kernels no longer take
  bool work_too = false;  // their work shrinks in proportion; false: it stays
};

struct Advice {
  std::string id;     // of the rule
  std::string title;  // "GEMMs in BF16 in an FP8 run"
  std::string text;   // why, and what to do
  // Potential saving per unit of the run (RunUnit), an upper bound; std::nullopt: not available.
  // Two pieces of advice can be after the same time. A rule states it at the present clock;
  // all_advice() at the clock that follows at the power limit (PowerModel), with an interval.
  std::optional<double> saving_s;
  std::optional<double> saving_low_s;  // only where the clock is modeled
  std::optional<double> saving_high_s;
  // Where saving_s comes from; both empty: the clock makes no difference to it.
  std::vector<RowSaving> row_savings;
  double idle_saving_s = 0;
  double concerned_s = 0;         // time per unit of what it is about
  std::vector<std::size_t> rows;  // into RunAnalysis::rows, the most telling first
};

using AdviceRule = std::vector<Advice> (*)(const RunAnalysis&, const RunUnit&);

std::vector<Advice> advise_on_slow_kernels(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_memory_operations(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_collectives(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_launches(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_conversions(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_elementwise_chains(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_wide_gemms(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_power(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_idle_time(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_unknown_work(const RunAnalysis& run, const RunUnit& unit);

// All rules, by falling saving; what cannot be told last.
std::vector<Advice> all_advice(const RunAnalysis& run, const RunUnit& unit);

// Rows that `select` accepts and that are worth telling, by falling time per unit, at most `most`.
std::vector<std::size_t> costliest_rows(const RunAnalysis& run, const RunUnit& unit,
                                        std::size_t most,
                                        const std::function<bool(const KernelRow&)>& select);

// Less than this share of the unit's time is not worth a sentence.
inline constexpr double kWorthTelling = 0.01;
bool worth_telling(double time_s, const RunAnalysis& run, const RunUnit& unit);

// A pause up to this is one for the next launch rather than for the program: six times the 3.3 us
// that a launch in a stream takes on an H200 (docs/validation/h200-ceilings.md), as hosts differ.
inline constexpr std::int64_t kLaunchGap_ns = 20'000;

}  // namespace mansard::analysis
