// SPDX-License-Identifier: Apache-2.0
// Selects the kernels launched in certain NVTX ranges.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/load_control.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// By kernel: whether it was launched in a range whose name satisfies `wanted`, on the launching
// thread or the thread with the steps, as in range_kinds(). Evaluates `wanted` once per name.
// Throws LoadCanceled on cancellation.
std::vector<bool> launched_in(const store::Profile& profile, const LaunchTable& launches,
                              const std::string& step_range,
                              const std::function<bool(std::string_view name)>& wanted,
                              const store::LoadControl& control = {});

}  // namespace mansard::analysis
