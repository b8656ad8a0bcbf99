// SPDX-License-Identifier: Apache-2.0
// How much goodput a job would gain by changing one input: which one limits it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/goodput/goodput.h"
#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

struct GoodputChange {
  std::string text;  // "half the restart time (to 150 s)"
  Goodput goodput;   // with the change; the interval adapts to it unless it is given
  double gain = 0;   // of the goodput fraction
};

// Largest gain first; changes that gain less than 0.05 % are left out. `now`: of the unchanged job.
// The kind of recovery stays: partial recovery changes what the job computes.
std::vector<GoodputChange> goodput_changes(const GoodputJob& job, const Goodput& now);

}  // namespace mansard::analysis
