// SPDX-License-Identifier: Apache-2.0
// The time of the collectives of a row, divided into waiting and transfer.
#pragma once

#include <optional>

#include "analyzer/steps/collective_arrivals.h"

namespace mansard::analysis {

// Sums over the undisturbed launches of a row, in seconds.
struct CollectiveTimes {
  // Until the last rank starts the collective. Null unless known for every launch: it needs the
  // profiles of all ranks, merged.
  std::optional<double> wait_s;
  double transfer_s = 0;  // the rest; all of the time where the wait is not known
};

// `row` is an index into RunAnalysis::rows, of kind RowKind::kernel.
CollectiveTimes collective_times(const RunAnalysis& run, std::size_t row,
                                 const CollectiveArrivals& arrivals);

}  // namespace mansard::analysis
