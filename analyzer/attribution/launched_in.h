// SPDX-License-Identifier: Apache-2.0
// The kernels that a program launched within some of its ranges.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/load_control.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// By kernel: whether a range of whose name `wanted` is true was open where it was launched, on the
// launching thread or, where that is not the thread with the steps, on that one, as in
// range_kinds(). `wanted` is asked once a name. Throws LoadCanceled, if that is asked for.
std::vector<bool> launched_in(const store::Profile& profile, const LaunchTable& launches,
                              const std::string& step_range,
                              const std::function<bool(std::string_view name)>& wanted,
                              const store::LoadControl& control = {});

}  // namespace mansard::analysis
