// SPDX-License-Identifier: Apache-2.0
// Links as tiers of a predicted step's roofline: FLOPs per byte that a GPU sends over NVLink and
// over the network, and the ridge points of these tiers.
#pragma once

#include "analyzer/predict/step_prediction.h"
#include "analyzer/table.h"

namespace mansard::analysis {

// One row per phase of the step and tier; empty if GPUs send nothing.
Table link_tiers_table(const StepPrediction& prediction, const TargetMachine& machine);
// " The step is bound by NVLink: it has ..."; empty if no link bounds it.
std::string link_bound_text(const StepPrediction& prediction, const TargetMachine& machine);
// Whether the machine model's measured collectives were used; empty if it has none.
std::string link_source_text(const StepPrediction& prediction, const TargetMachine& machine);

}  // namespace mansard::analysis
