// SPDX-License-Identifier: Apache-2.0
// The row of each kernel of a run.
#pragma once

#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// For each of Profile::kernels an index into RunAnalysis::rows; kNoRow for none.
std::vector<std::size_t> rows_of_kernels(const RunAnalysis& run);

}  // namespace mansard
