// SPDX-License-Identifier: Apache-2.0
// Which memory tiers a curve over working-set size shows.
#pragma once

#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

// A tier as the device reports it: it holds working sets up to `capacity_bytes`.
struct TierCapacityRange {
  MemoryLevel level;
  double capacity_bytes;  // infinite for the outermost
};

// Innermost first. `role`: a latency curve is one thread's, so that it sees one core's or SM's
// caches; a bandwidth curve is everybody's, and a GPU's goes past L1.
std::vector<TierCapacityRange> reported_tiers(const kernels::DeviceInfo& device,
                                              kernels::KernelRole role);

// The flat stretches of `curve` (one kernel, any order): at least three points over at least a
// doubling of the working set, whose values lie within 15 % of each other. Each is given to the
// tier whose reported range it overlaps most, and each tier keeps the stretch that overlaps it
// most. So a tier that the curve does not show (no plateau, a cache that is not there) is missing
// from the result, and none of the others takes its name.
std::vector<Plateau> find_plateaus(const std::vector<SweepPoint>& curve,
                                   const std::vector<TierCapacityRange>& tiers);

}  // namespace mansard::roofline
