// SPDX-License-Identifier: Apache-2.0
// Durations of the launches of a row: the values that the row's minimum, median and maximum
// describe.
#pragma once

#include <unordered_map>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

class LaunchDurations {
 public:
  // `run` must outlive this object. Constant time; for a run with annotated host ranges linear in
  // its records.
  explicit LaunchDurations(const RunAnalysis& run);

  // In seconds, in the order of KernelRow::launch_indices: undisturbed launches only. A host range
  // counts without the annotated ranges inside. Empty for a run without records (preview()).
  std::vector<double> of(const KernelRow& row) const;
  // The 95th percentile (quantile()); NaN without launches.
  double p95_s(const KernelRow& row) const;

 private:
  const RunAnalysis& run_;
  std::unordered_map<std::uint32_t, double> exclusive_s_;  // host ranges, by index into nvtx
};

}  // namespace mansard::analysis
