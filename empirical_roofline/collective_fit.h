// SPDX-License-Identifier: Apache-2.0
// The alpha-beta model of a collective: a call with a message of n bytes takes alpha + n / beta
// (Hockney, "The communication challenge for MPP", Parallel Computing 20, 1994).
#pragma once

#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

struct CollectiveFit {
  std::string kernel;
  int ranks = 0;
  double latency_s = 0;      // alpha
  double bytes_per_s = 0;    // bus bandwidth of an infinitely large message
  double largest_error = 0;  // of the model at a measured size, relative to the measured time
};

// Fits the least squares of relative errors to the points of each collective, so that small
// messages count as much as large ones. Collectives with fewer than three sizes are left out.
std::vector<CollectiveFit> fit_collectives(const std::vector<SweepPoint>& sweep);

}  // namespace mansard::roofline
