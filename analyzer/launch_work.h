// SPDX-License-Identifier: Apache-2.0
// What single launches do. A row of the analysis has the sum over its launches.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/attribution/work_shares.h"
#include "analyzer/classify/kernel_rules.h"
#include "analyzer/counters/counted_work.h"
#include "analyzer/run_analysis.h"

namespace mansard {

// Adds `fraction` of what a range states; FLOPs of no precision that is known go to
// kAssumedPrecision.
void add_annotated(WorkTotals& totals, const WorkAnnotation& work,
                   std::optional<Precision> precision, double fraction);

// Adds what was counted of a launch of `launch_s`, as far as `work`, which may be nullptr, does not
// state it.
void add_counted(WorkTotals& totals, const WorkAnnotation* work, const CountedWork& counted,
                 double launch_s);

class LaunchWorks {
 public:
  // `rules` are those that the run was analysed by. Both must live as long as this.
  LaunchWorks(const RunAnalysis& run, const KernelRules& rules);

  // Of Profile::kernels[kernel]: its row, nullptr for none, and its part of that row's work.
  const KernelRow* row(std::size_t kernel) const;
  WorkTotals work(std::size_t kernel) const;

  // The least time that `work`, its part, takes on the run's machine; time_s is 0: not known.
  SpeedOfLight limit(std::size_t kernel, const WorkTotals& work) const;

 private:
  const RunAnalysis& run_;
  std::vector<std::size_t> row_of_;
  Attribution attribution_;
  std::vector<KernelShare> shares_;
  CountedWorks counted_;
};

}  // namespace mansard
