// SPDX-License-Identifier: Apache-2.0
// analyze_run() with progress and cancellation, for large profiles.
#pragma once

#include "analyzer/run_analysis.h"
#include "collector/store/load_control.h"

namespace mansard::analysis {

// Checks `control` after each pass over the kernels; throws LoadCanceled on cancellation.
RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options, const store::LoadControl& control);

}  // namespace mansard::analysis
