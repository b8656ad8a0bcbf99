// SPDX-License-Identifier: Apache-2.0
// analyze_run() of runs so large that somebody waits for them.
#pragma once

#include "analyzer/run_analysis.h"
#include "collector/store/load_control.h"

namespace mansard::analysis {

// Asks after each pass through the kernels; throws LoadCanceled too.
RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options, const store::LoadControl& control);

}  // namespace mansard::analysis
