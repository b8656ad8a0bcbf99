// SPDX-License-Identifier: Apache-2.0
// Matches the rows of two runs that are the same kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

struct RowMatches {
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  std::vector<std::uint32_t> of_run;       // row of the run -> row of the baseline, or kNone
  std::vector<std::uint32_t> of_baseline;  // row of the baseline -> row of the run, or kNone

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

// Uses match_kernels(). If several rows match, rows with the same precision are paired first, then
// those with the most time; the rest stays unmatched.
RowMatches match_rows(const analysis::RunAnalysis& run, const analysis::RunAnalysis& baseline);

}  // namespace mansard::gui
