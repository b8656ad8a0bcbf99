// SPDX-License-Identifier: Apache-2.0
// Two machine models side by side: which ceilings differ by more than their own uncertainty.
#pragma once

#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

struct CeilingComparison {
  std::string id;
  std::string device;          // of the baseline
  const Ceiling* a = nullptr;  // baseline; null: only in the candidate
  const Ceiling* b = nullptr;
  double ratio = 0;           // b over a of what is better when larger (times are inverted)
  double ratio_at_clock = 0;  // of the fractions of theory at the clock seen; 0: not known
  double uncertainty = 0;     // relative, of the ratio (95 %); 0: not known
  bool significant = false;   // the ratio differs from 1 by more than that
};

// Devices are matched by UUID, then by name, then the n-th GPU (host) of one with the n-th of the
// other, so that two machines of different kinds compare too. In the order of `a`; what only `b`
// has comes last.
std::vector<CeilingComparison> compare_models(const MachineModel& a, const MachineModel& b);

}  // namespace mansard::roofline
