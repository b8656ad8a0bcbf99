// SPDX-License-Identifier: Apache-2.0
// How long the run would take if some of its kernels ran otherwise: Amdahl's law with the times of
// the recording.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

struct WhatIf {
  enum class Change {
    speed_of_light,  // at the least time that their work takes on the machine
    factor,          // `factor` times as fast
    removed,
  };
  std::string target;  // a class, a short name, or a pattern (analyzer/classify)
  Change change = Change::speed_of_light;
  double factor = 1;
};

// "gemm=sol", "softmax=2x", "transpose=0". Throws std::invalid_argument that says what is wrong.
WhatIf parse_what_if(const std::string& text);

// All changes together. Of a row that several concern the last counts. Where the device worked, the
// run's time is the device's, and ranges on the host are no targets. Throws std::runtime_error for
// a target that nothing in the run is called.
Finding what_if_finding(const RunAnalysis& run, const std::vector<WhatIf>& changes);

}  // namespace mansard::analysis
