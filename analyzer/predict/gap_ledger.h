// SPDX-License-Identifier: Apache-2.0
// Why recipe B is not as much faster than recipe A as its tensor cores are: a list of causes whose
// times add up to exactly T_A - T_B.
//
// If all of A ran R times faster, R being the ratio of the peaks, T_A (1 - 1/R) would be saved.
// Each part X of the step then takes from that what it falls short: X_A / R - X_B, which is
// negative. Summed over all parts that is T_A / R - T_B, so the list adds up without a residual.
#pragma once

#include "analyzer/explain/ledger.h"
#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

// Both of the same model on the same machine. Layers count as kept in BF16 where B keeps them.
Ledger gap_ledger(const StepPrediction& a, const StepPrediction& b, const TargetMachine& machine);

}  // namespace mansard::analysis
