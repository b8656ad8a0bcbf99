// SPDX-License-Identifier: Apache-2.0
// Sums over rows. Rates and slowdowns only include rows with known work and their time.
#pragma once

#include <array>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

struct RowTotals {
  std::int64_t rows = 0;
  std::int64_t launches = 0;
  double time_s = 0;
  double share = 0;    // of the time of all rows of the run
  double known_s = 0;  // time of rows with work
  double flop = 0;
  double flop_s = 0;       // time of rows with FLOPs
  double needed_flop = 0;  // of rows whose executed FLOPs are known
  double executed_flop = 0;
  double cost_s = 0;  // KernelRow::cost_s of rows with a SOL time
  double sol_s = 0;   // sum of the SOL times
  // Per typical step, as in KernelRow. A part of a row's launches has the row's values.
  double step_time_s = 0;
  double step_share = 0;
  double step_launches = 0;
  double step_sol_s = 0;
  double saving_s = 0;  // of the whole run if it has no steps

  // Totals of some launches of a row, scaled by their share of its time.
  static RowTotals of_part(const KernelRow& row, std::int64_t launches, double time_s) {
    RowTotals part;
    part.add(row);
    const double ratio = row.time_s > 0 ? time_s / row.time_s : 0;
    for (double RowTotals::*sum : kSums) part.*sum *= ratio;
    part.launches = launches;
    part.time_s = time_s;
    return part;
  }

  void add(const RowTotals& other) {
    rows += other.rows;
    launches += other.launches;
    for (double RowTotals::*sum : kSums) this->*sum += other.*sum;
    for (double RowTotals::*sum : kStepSums) this->*sum += other.*sum;
  }

  void add(const KernelRow& row) {
    ++rows;
    launches += row.launches;
    time_s += row.time_s;
    share += row.share;
    step_time_s += row.step_time_s;
    step_share += row.step_share;
    step_launches += row.step_launches;
    step_sol_s += row.step_sol_s;
    saving_s += row.saving_s;
    if (row.origin != WorkOrigin::none) known_s += row.time_s;
    if (const double row_flop = row.work.total_flop(); row_flop > 0) {
      flop += row_flop;
      flop_s += row.time_s;
    }
    if (row.executed_flop > 0) {
      needed_flop += row.needed_flop;
      executed_flop += row.executed_flop;
    }
    if (row.sol.time_s > 0) {
      cost_s += row.cost_s;
      sol_s += row.sol.time_s;
    }
  }

 private:
  static constexpr std::array kSums = {
      &RowTotals::time_s,        &RowTotals::share,  &RowTotals::known_s,
      &RowTotals::flop,          &RowTotals::flop_s, &RowTotals::needed_flop,
      &RowTotals::executed_flop, &RowTotals::cost_s, &RowTotals::sol_s};
  static constexpr std::array kStepSums = {&RowTotals::step_time_s, &RowTotals::step_share,
                                           &RowTotals::step_launches, &RowTotals::step_sol_s,
                                           &RowTotals::saving_s};
};

// Empty (unknown) if the divisor is zero.
inline Cell quotient(double dividend, double divisor) {
  return divisor > 0 ? Cell(dividend / divisor) : Cell();
}

// For a quantity whose zero means "unknown".
inline Cell positive(double value) { return value > 0 ? Cell(value) : Cell(); }

}  // namespace mansard::analysis
