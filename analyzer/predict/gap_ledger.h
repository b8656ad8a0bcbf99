// SPDX-License-Identifier: Apache-2.0
// Why recipe B is not as much faster than recipe A as its tensor cores are: a list of causes whose
// times add up to exactly T_A - T_B.
//
// If all of A ran R times faster, R being the ratio of the peaks, T_A (1 - 1/R) would be saved.
// Each part X of the step then takes from that what it falls short: X_A / R - X_B, which is
// negative. Summed over all parts that is T_A / R - T_B, so the list adds up without a residual.
#pragma once

#include <string>
#include <vector>

#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

struct LedgerEntry {
  std::string key;
  std::string cause;
  double before_s = 0;  // in A
  double after_s = 0;   // in B
  double saved_s = 0;   // less than zero: lost against the ideal
};

struct GapLedger {
  double peak_ratio = 1;
  double speed_up = 1;               // T_A / T_B
  double speed_up_error = 0;         // one sigma, relative: what both share cancels in part
  std::vector<LedgerEntry> entries;  // the ideal first
};

// Both of the same model on the same machine. Layers count as kept in BF16 where B keeps them.
GapLedger gap_ledger(const StepPrediction& a, const StepPrediction& b,
                     const TargetMachine& machine);

}  // namespace mansard::analysis
