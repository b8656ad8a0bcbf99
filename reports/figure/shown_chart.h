// SPDX-License-Identifier: Apache-2.0
// Which chart of a table is worth drawing, and the caption that belongs to it.
#pragma once

#include <optional>
#include <string>

#include "reports/figure/chart_data.h"

namespace mansard::figure {

// The chart of a table, of at most as many bars as a reader goes through. Nothing where the table
// has no chart, or one that would tell nothing: all of it zero, or a single bar.
std::optional<ChartData> chart_to_show(const analysis::Table& table);

// Which rows are drawn, in sentences; empty: all.
std::string chart_caption(const analysis::Table& table, const ChartData& data);

}  // namespace mansard::figure
