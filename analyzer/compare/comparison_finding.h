// SPDX-License-Identifier: Apache-2.0
// Findings (summary and tables) of a comparison of two runs.
#pragma once

#include "analyzer/compare/compare_runs.h"
#include "analyzer/compare/regression_gate.h"

namespace mansard::analysis {

Finding comparison_finding(const RunComparison& comparison);

Finding gate_finding(const std::vector<GateCheck>& checks);

// "busy time per step: +4.20 %, exceeds the limit of 3.00 %"
std::string describe(const GateCheck& check);

}  // namespace mansard::analysis
