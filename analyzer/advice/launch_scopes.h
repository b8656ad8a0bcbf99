// SPDX-License-Identifier: Apache-2.0
// In which part of the program each kernel was launched, to tell passes over one tensor from those
// over another.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// For each of Profile::kernels the NVTX range (index into Profile::nvtx) that was innermost at its
// launch, or -1. A range that states work is often that of a single kernel, so the one around it
// counts, if there is one.
std::vector<std::int64_t> launch_scopes(const store::Profile& profile, const LaunchTable& launches);

}  // namespace mansard::analysis
