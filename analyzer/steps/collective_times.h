// SPDX-License-Identifier: Apache-2.0
// Splits the time of a row's collectives into wait and transfer.
#pragma once

#include <optional>

#include "analyzer/steps/collective_arrivals.h"

namespace mansard::analysis {

// Sums over the undisturbed launches of a row, in seconds.
struct CollectiveTimes {
  // Time until the last rank starts the collective. Empty unless known for every launch, which
  // needs the merged profiles of all ranks.
  std::optional<double> wait_s;
  double transfer_s = 0;  // the rest; all of the time if the wait is unknown
};

// `row` is an index into RunAnalysis::rows, of kind RowKind::kernel.
CollectiveTimes collective_times(const RunAnalysis& run, std::size_t row,
                                 const CollectiveArrivals& arrivals);

}  // namespace mansard::analysis
