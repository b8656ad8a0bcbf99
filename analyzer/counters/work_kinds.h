// SPDX-License-Identifier: Apache-2.0
// Which launches of one kernel signature do the same work. A persistent kernel has the same grid
// whatever the shapes of its matrices, and hardware counters are read for a few launches only, each
// metric group for others: what was counted of one holds only for launches of its kind.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/attribution/work_shares.h"
#include "analyzer/steps/find_steps.h"

namespace mansard::analysis {

class WorkKinds {
 public:
  static constexpr std::uint16_t kOne = 0;  // nothing tells the signature's launches apart

  // Launches are told apart by the amounts that their annotated ranges state, up to 1 %. Where no
  // launch of a signature that was read is annotated, by their place in the step: the n-th launch
  // of a signature in a step does the same work in every step, and places whose median times differ
  // by less than 10 % do the same work as well.
  WorkKinds(const store::Profile& profile, const Attribution& attribution, const KernelRules& rules,
            const std::vector<KernelShare>& shares, const std::vector<Steps>& steps);

  // Indices into Profile::kernels and Profile::counter_readings.
  std::uint16_t of_kernel(std::size_t kernel) const {
    return of_kernel_.empty() ? kOne : of_kernel_[kernel];
  }
  std::uint16_t of_reading(std::size_t reading) const {
    return of_reading_.empty() ? kOne : of_reading_[reading];
  }

 private:
  std::vector<std::uint16_t> of_kernel_;   // empty: all are kOne
  std::vector<std::uint16_t> of_reading_;  // likewise
};

}  // namespace mansard::analysis
