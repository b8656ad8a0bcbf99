// SPDX-License-Identifier: Apache-2.0
// Why the speed-up of recipe B over recipe A is below R, the ratio of the tensor-core peaks: a list
// of causes whose times add up to exactly T_A - T_B.
//
// The ideal saves T_A (1 - 1/R). Each part X of the step reduces this saving by X_B - X_A / R. The
// sum over all parts is T_B - T_A / R, so the list adds up without a residual.
#pragma once

#include "analyzer/explain/ledger.h"
#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

// `a` and `b` are of the same model on the same machine. A layer counts as kept in BF16 if B keeps
// it.
Ledger gap_ledger(const StepPrediction& a, const StepPrediction& b, const TargetMachine& machine);

}  // namespace mansard::analysis
