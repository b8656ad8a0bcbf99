// SPDX-License-Identifier: Apache-2.0
// Predicts the run time with changed kernel times: Amdahl's law applied to the measured times.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

struct WhatIf {
  enum class Change {
    speed_of_light,  // at the SOL time
    factor,          // `factor` times as fast
    removed,
  };
  std::string target;  // a class, a short name, or a pattern (analyzer/classify)
  Change change = Change::speed_of_light;
  double factor = 1;
};

// "gemm=sol", "softmax=2x", "transpose=0". Throws std::invalid_argument with a description of the
// error.
WhatIf parse_what_if(const std::string& text);

// Applies all changes together; if several match a row, the last one applies. If the run has device
// work, its time is the device's and host ranges cannot be targets. Throws std::runtime_error for a
// target that matches nothing.
Finding what_if_finding(const RunAnalysis& run, const std::vector<WhatIf>& changes);

}  // namespace mansard::analysis
