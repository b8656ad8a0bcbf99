// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "empirical_roofline/machine_model.h"
#include "reports/web/svg.h"

namespace mansard::reports {

// Bandwidth ("B/s") or latency ("s") over working set: one curve a kernel, the capacities of the
// caches marked. Empty where the device has no curve of that unit.
std::string sweep_svg(const roofline::DeviceModel& device, std::string_view unit,
                      const FigureSize& size, std::string_view escaped_description);

}  // namespace mansard::reports
