// SPDX-License-Identifier: Apache-2.0
// What every drawing of a table's chart has in common, on the page and in the window: whether there
// is something to draw, how much of it, what is said below, and what lies where.
#pragma once

#include <optional>
#include <string>

#include "reports/figure/bar_chart.h"

namespace mansard::figure {

// The chart of a table, of at most as many bars as a reader goes through. Nothing where the table
// has no chart, or one that would tell nothing: all of it zero, or a single bar.
std::optional<ChartData> chart_to_show(const analysis::Table& table);

// Which rows are drawn, in sentences; empty: all.
std::string chart_caption(const analysis::Table& table, const ChartData& data);

// A bar as drawn: however short, it can be seen.
Rect visible_bar(Rect bar);

// From the left edge of the figure to the right one: names and thin bars are pointed at as well.
Rect row_area(const ChartFrame& frame, std::size_t row);

// The row whose area holds the point.
std::optional<std::size_t> row_at(const ChartFrame& frame, Point point);

// The part of a row's bar that is drawn at the point.
const BarPart* part_at(const BarChart& figure, Point point);

}  // namespace mansard::figure
