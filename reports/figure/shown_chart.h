// SPDX-License-Identifier: Apache-2.0
// Decides whether to draw the chart of a table, and writes its caption.
#pragma once

#include <optional>
#include <string>

#include "reports/figure/chart_data.h"

namespace mansard::figure {

// The chart of a table with a limited number of bars. Returns nothing if the table has no chart, or
// a chart without information: only zeros, or a single bar.
std::optional<ChartData> chart_to_show(const analysis::Table& table);

// A sentence about which rows are drawn; empty if all are.
std::string chart_caption(const analysis::Table& table, const ChartData& data);

}  // namespace mansard::figure
