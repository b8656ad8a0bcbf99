// SPDX-License-Identifier: Apache-2.0
// Groups the launches of a kernel signature by kind of work. A persistent kernel has the same grid
// for all matrix shapes, and hardware counters are read for only a few launches, with different
// launches per metric group: counts of a launch only apply to launches of its kind.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/attribution/work_shares.h"
#include "analyzer/steps/find_steps.h"

namespace mansard::analysis {

class WorkKinds {
 public:
  static constexpr std::uint16_t kOne = 0;  // the signature's launches cannot be distinguished

  // Launches are distinguished by the amounts of their annotated ranges, up to 1 %. If no launch of
  // a signature with readings is annotated, they are distinguished by their place in the step: the
  // n-th launch of a signature in a step does the same work in every step, and places whose median
  // times differ by less than 10 % do the same work as well.
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
