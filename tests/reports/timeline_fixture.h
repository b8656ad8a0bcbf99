// SPDX-License-Identifier: Apache-2.0
// A made-up recording of many training steps, for what is done with time.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::fixture {

// On fixture::h200(): `steps` steps named "step 0" and so on, of `launches` kernels each on one
// stream in nested ranges, with the calls that launched them, a copy a step on another stream, and
// the device's clock and power. The first step takes longer, as it does in practice.
analysis::RunAnalysis long_recording(int steps, int launches);

}  // namespace mansard::fixture
