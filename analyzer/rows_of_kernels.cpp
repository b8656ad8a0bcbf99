// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rows_of_kernels.h"

namespace mansard {

std::vector<std::size_t> rows_of_kernels(const RunAnalysis& run) {
  std::vector<std::size_t> rows(run.profile.kernels.size(), kNoRow);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].target == Target::host) continue;
    for (const std::size_t kernel : run.rows[i].launch_indices) rows[kernel] = i;
  }
  return rows;
}

}  // namespace mansard
