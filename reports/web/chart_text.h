// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/figure/chart_data.h"

namespace mansard::reports {

// A chart in words, for who does not see it: where it starts and ends and what matters most in it.
// Plain text, names in it cut to a readable length.
std::string describe_chart(const figure::ChartData& data);

// What is said of one bar when pointed at.
std::string bar_tooltip(const figure::ChartData& data, const figure::ChartBar& bar);
// And of a part of it.
std::string part_tooltip(const figure::ChartData& data, const figure::ChartBar& bar,
                         std::size_t series);

}  // namespace mansard::reports
