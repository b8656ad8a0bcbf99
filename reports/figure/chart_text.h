// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/figure/chart_data.h"

namespace mansard::figure {

// A chart in words, for who does not see it: where it starts and ends and what matters most in it.
// Plain text, names in it cut to a readable length.
std::string describe_chart(const ChartData& data);

// What is said of one bar when pointed at.
std::string bar_tooltip(const ChartData& data, const ChartBar& bar);
// And of a part of it.
std::string part_tooltip(const ChartData& data, const ChartBar& bar, std::size_t series);

}  // namespace mansard::figure
