// SPDX-License-Identifier: Apache-2.0
// The alpha-beta model of a collective: a call with a message of n bytes takes alpha + n / beta
// (Hockney, "The communication challenge for MPP", Parallel Computing 20, 1994).
#pragma once

#include <vector>

#include "empirical_roofline/machine_model.h"
#include "kernels/vocabulary/collective.h"

namespace mansard::roofline {

struct CollectiveFit {
  std::string kernel;
  int ranks = 0;
  double latency_s = 0;      // alpha
  double bytes_per_s = 0;    // bus bandwidth of an infinitely large message
  double largest_error = 0;  // of the model at a measured size, relative to the measured time

  double call_s(double bus_bytes) const { return latency_s + bus_bytes / bytes_per_s; }
};

// Fits the least squares of relative errors to the points of each collective, so that small
// messages count as much as large ones. Collectives with fewer than three sizes are left out.
std::vector<CollectiveFit> fit_collectives(const std::vector<SweepPoint>& sweep);

// The fit of an operation between `ranks` GPUs; nullptr: not measured.
const CollectiveFit* find_fit(const std::vector<CollectiveFit>& fits, CollectiveOperation operation,
                              std::int64_t ranks);

}  // namespace mansard::roofline
