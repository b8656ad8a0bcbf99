// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/figure/chart_data.h"

namespace mansard::figure {

// The text alternative of a chart: its ends and its largest values. Plain text with shortened
// names.
std::string describe_chart(const ChartData& data);

// The tooltip of a bar, or of a position on the x axis of lines.
std::string bar_tooltip(const ChartData& data, const ChartBar& bar);
// The tooltip of a part of a stacked bar.
std::string part_tooltip(const ChartData& data, const ChartBar& bar, std::size_t series);

}  // namespace mansard::figure
