// SPDX-License-Identifier: Apache-2.0
// Which rows of two runs are the same kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

struct RowMatches {
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  std::vector<std::uint32_t> of_run;       // by row of the run: the baseline's, or kNone
  std::vector<std::uint32_t> of_baseline;  // by row of the baseline: the run's, or kNone

  std::optional<std::size_t> in_baseline(std::size_t run_row) const {
    if (run_row >= of_run.size() || of_run[run_row] == kNone) return std::nullopt;
    return of_run[run_row];
  }
  std::optional<std::size_t> in_run(std::size_t baseline_row) const {
    if (baseline_row >= of_baseline.size() || of_baseline[baseline_row] == kNone) {
      return std::nullopt;
    }
    return of_baseline[baseline_row];
  }
};

// By match_kernels(). Of several rows that match, those that compute in the same precision go
// together, then those of the most time; what one run has more of stays alone.
RowMatches match_rows(const analysis::RunAnalysis& run, const analysis::RunAnalysis& baseline);

}  // namespace mansard::gui
