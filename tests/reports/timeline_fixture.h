// SPDX-License-Identifier: Apache-2.0
// A synthetic profile of many training steps for tests of timelines.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::fixture {

// On fixture::h200(): `steps` steps named "step 0" etc. with `launches` kernels each on one stream
// in nested ranges, their launch calls, one memcpy per step on another stream, and clock and power
// samples. The first step takes longer, as in practice.
analysis::RunAnalysis long_recording(int steps, int launches);

}  // namespace mansard::fixture
