// SPDX-License-Identifier: Apache-2.0
// Finds memory tiers in a sweep over working-set size.
#pragma once

#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

// A memory tier as reported by the device: it holds working sets up to `capacity_bytes`.
struct TierCapacityRange {
  MemoryLevel level;
  double capacity_bytes;  // infinite for the outermost
};

// Returns the tiers, innermost first. `role`: a latency sweep runs on one thread and sees the
// caches of one core or SM; a bandwidth sweep uses all of them, and on a GPU bypasses L1.
std::vector<TierCapacityRange> reported_tiers(const kernels::DeviceInfo& device,
                                              kernels::KernelRole role);

// Returns the flat parts of `curve` (one kernel, any order): at least three points over at least a
// doubling of the working set, with values within 15 % of each other. Each is assigned to the tier
// whose reported range it overlaps most, and each tier keeps the part that overlaps it most. So a
// tier without a plateau is missing from the result, and no other plateau takes its name.
std::vector<Plateau> find_plateaus(const std::vector<SweepPoint>& curve,
                                   const std::vector<TierCapacityRange>& tiers);

}  // namespace mansard::roofline
