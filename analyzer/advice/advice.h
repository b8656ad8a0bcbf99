// SPDX-License-Identifier: Apache-2.0
// Advice on how to make a run faster. Each rule has its own file, looks for one pattern, and
// returns nothing without evidence.
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

// The change of one row that a piece of advice proposes. Times are per unit, at the measured clock.
struct RowSaving {
  std::size_t row = 0;    // into RunAnalysis::rows
  double time_s = 0;      // time saved in the row's kernels
  bool work_too = false;  // true: their FLOPs and bytes shrink in proportion; false: unchanged
};

struct Advice {
  std::string id;      // ID of the rule
  std::string title;   // "High-precision GEMMs in an FP8 E4M3 run"
  std::string text;    // evidence, in one or more sentences
  std::string remedy;  // what to do, in one or more sentences; empty: unknown
  // Potential saving per unit of the run (RunUnit), an upper bound; std::nullopt: not available.
  // Savings of different advice can overlap. Rules compute it at the measured clock; all_advice()
  // at the clock expected at the power limit (PowerModel), with an interval.
  std::optional<double> saving_s;
  std::optional<double> saving_low_s;  // set only if the clock is modeled
  std::optional<double> saving_high_s;
  // The parts of saving_s; both empty: it does not depend on the clock.
  std::vector<RowSaving> row_savings;
  double idle_saving_s = 0;
  double concerned_s = 0;         // time per unit of the affected work
  std::vector<std::size_t> rows;  // into RunAnalysis::rows, most important first
};

using AdviceRule = std::vector<Advice> (*)(const RunAnalysis&, const RunUnit&);

std::vector<Advice> advise_on_slow_kernels(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_graph_kernels(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_memory_operations(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_collectives(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_launches(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_conversions(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_elementwise_chains(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_high_precision_gemms(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_excess_flop(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_power(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_idle_time(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_numerics(const RunAnalysis& run, const RunUnit& unit);
std::vector<Advice> advise_on_unknown_work(const RunAnalysis& run, const RunUnit& unit);

// "up to 3.14 ms per step (8.3 %)", with the interval if the clock is modeled: "up to 3.14 ms per
// step (8.3 %; 2.90 to 3.30 ms at the power limit)". Empty: the saving is not available.
std::string saving_text(const Advice& advice, const RunUnit& unit);

// Applies all rules. Sorted by saving, largest first; unknown savings last.
std::vector<Advice> all_advice(const RunAnalysis& run, const RunUnit& unit);

// Returns at most `most` rows that `select` accepts and that are worth reporting, sorted by time
// per unit, longest first.
std::vector<std::size_t> costliest_rows(const RunAnalysis& run, const RunUnit& unit,
                                        std::size_t most,
                                        const std::function<bool(const KernelRow&)>& select);

// Times below this share of the unit's time are not reported.
inline constexpr double kWorthTelling = 0.01;
bool worth_telling(double time_s, const RunAnalysis& run, const RunUnit& unit);

// A kernel-to-kernel gap up to this is caused by launching the next kernel, not by the program. It
// is six times the launch time on an H200, 3.3 µs (docs/validation/h200-ceilings.md), because hosts
// differ.
inline constexpr std::int64_t kLaunchGap_ns = 20'000;

}  // namespace mansard::analysis
