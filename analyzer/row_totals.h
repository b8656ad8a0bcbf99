// SPDX-License-Identifier: Apache-2.0
// Sums over rows. Rates and distances are formed only over rows that know their work, each over
// that part of the time alone.
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
  double flop_s = 0;   // time of rows with FLOPs
  double cost_s = 0;   // of rows with a speed of light: time, or that of launching them
  double limit_s = 0;  // their speed of light, one row after the other

  // The totals of some launches of a row: what is known of a row holds for all of its launches, so
  // for a part of its time as well.
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
  }

  void add(const KernelRow& row) {
    ++rows;
    launches += row.launches;
    time_s += row.time_s;
    share += row.share;
    if (row.origin != WorkOrigin::none) known_s += row.time_s;
    if (const double row_flop = row.work.total_flop(); row_flop > 0) {
      flop += row_flop;
      flop_s += row.time_s;
    }
    if (row.limit.time_s > 0) {
      cost_s += row.cost_s;
      limit_s += row.limit.time_s;
    }
  }

 private:
  static constexpr std::array kSums = {&RowTotals::time_s, &RowTotals::share,  &RowTotals::known_s,
                                       &RowTotals::flop,   &RowTotals::flop_s, &RowTotals::cost_s,
                                       &RowTotals::limit_s};
};

// Not known where the divisor is zero.
inline Cell quotient(double dividend, double divisor) {
  return divisor > 0 ? Cell(dividend / divisor) : Cell();
}

// A quantity of which zero means "not known".
inline Cell positive(double value) { return value > 0 ? Cell(value) : Cell(); }

}  // namespace mansard::analysis
