// SPDX-License-Identifier: Apache-2.0
// The part of the program that launched each kernel, to separate passes over different tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// Returns, for each of Profile::kernels, the innermost NVTX range at its launch (index into
// Profile::nvtx), or -1. A range with annotated work often contains a single kernel, so the range
// around it is returned instead, if there is one.
std::vector<std::int64_t> innermost_ranges(const store::Profile& profile,
                                           const LaunchTable& launches);

}  // namespace mansard::analysis
