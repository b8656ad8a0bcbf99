// SPDX-License-Identifier: Apache-2.0
// Selects the kernels launched in certain NVTX ranges.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analyzer/attribution/range_stacks.h"
#include "collector/store/load_control.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// By kernel: whether a range of its stack (LaunchRanges) has a name that satisfies `wanted`, which
// is evaluated once per name. Throws LoadCanceled on cancellation.
std::vector<bool> launched_in(const store::Profile& profile, const LaunchTable& launches,
                              const LaunchRanges& ranges,
                              const std::function<bool(std::string_view name)>& wanted,
                              const store::LoadControl& control = {});

}  // namespace mansard::analysis
