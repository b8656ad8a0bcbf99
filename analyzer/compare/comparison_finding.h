// SPDX-License-Identifier: Apache-2.0
// A comparison of two runs as tables.
#pragma once

#include "analyzer/compare/compare_runs.h"
#include "analyzer/compare/regression_gate.h"

namespace mansard::analysis {

Finding comparison_finding(const RunComparison& comparison);

Finding gate_finding(const std::vector<GateCheck>& checks);

// "busy time per step: +4.20 %, more than the 3.00 % allowed"
std::string describe(const GateCheck& check);

}  // namespace mansard::analysis
