// SPDX-License-Identifier: Apache-2.0
// Predictions as findings, for every output format.
#pragma once

#include "analyzer/predict/gap_ledger.h"
#include "analyzer/predict/published_steps.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Settings, step time, parts and memory. `notes`: sources of the settings.
Finding step_finding(const StepPrediction& prediction, const TargetMachine& machine,
                     const std::vector<std::string>& notes);
Finding ledger_finding(const StepPrediction& a, const StepPrediction& b,
                       const TargetMachine& machine);
Finding assumptions_finding(const Assumptions& assumptions);
Finding published_finding(const std::vector<PublishedComparison>& comparisons);
// Leave-one-out errors of the measured layers.
Finding gemm_data_finding();

}  // namespace mansard::analysis
