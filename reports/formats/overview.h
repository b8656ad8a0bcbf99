// SPDX-License-Identifier: Apache-2.0
// The results that a terminal shows first: the answer (analyzer/answer.h), the largest causes, the
// longest kernels and the most important notes. As text at 100 columns an overview has at most 40
// lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

inline constexpr int kOverviewWidth = 100;  // columns

analysis::Finding overview(const analysis::RunAnalysis& run);

// Returns the largest lines of a finding with a ledger (analyzer/explain/ledger.h), and the kernels
// and causes of the largest one. Returns other findings unchanged.
analysis::Finding ledger_overview(const analysis::Finding& whole);

// Returns the totals of a comparison of two runs (analyzer/compare), the largest changes by class
// and kernel, and the summary of their losses.
analysis::Finding comparison_overview(const analysis::Finding& comparison,
                                      const std::optional<analysis::Finding>& loss,
                                      const std::vector<std::string>& notes);

// Returns the ceilings of a machine model (machine_table.h) that bound runs on its first device.
analysis::Finding machine_overview(const analysis::Finding& whole);

// Takes one predicted step, or two with the ledger of their difference (analyzer/predict). Returns
// the speed-up, its causes, and the parts of the first step.
analysis::Finding prediction_overview(const std::vector<analysis::Finding>& predicted);

// Takes the goodput of a job (analyzer/goodput). Returns its time by cause, the changes that raise
// it most, and checkpoint intervals.
analysis::Finding goodput_overview(const analysis::Finding& whole);

}  // namespace mansard::reports
