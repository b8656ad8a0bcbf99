// SPDX-License-Identifier: Apache-2.0
// Compares two machine models: which ceilings differ by more than their uncertainty.
#pragma once

#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

struct CeilingComparison {
  std::string id;
  std::string device;          // of the baseline, if it has the ceiling
  const Ceiling* a = nullptr;  // baseline; null: only in the candidate
  const Ceiling* b = nullptr;
  double ratio = 0;  // b / a; a / b for times, so that above 1 is better
  double ratio_at_clock =
      0;                   // of the fractions of theoretical peak at the measured clock; 0: unknown
  double uncertainty = 0;  // relative, of the ratio (95 %); 0: unknown
  bool significant = false;  // the ratio differs from 1 by more than the uncertainty
};

// Matches devices by UUID, then by name, then the n-th GPU (host) of one with the n-th of the
// other, so that different machines can be compared. The result is in the order of `a`, with
// ceilings that only `b` has last.
std::vector<CeilingComparison> compare_models(const MachineModel& a, const MachineModel& b);

}  // namespace mansard::roofline
