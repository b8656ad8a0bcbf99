// SPDX-License-Identifier: Apache-2.0
// Draws a table's chart: horizontal bars, stacked bars, a waterfall or lines.
#pragma once

#include <optional>

#include "reports/figure/chart_data.h"
#include "reports/figure/drawing.h"

namespace mansard::figure {

// Links: {bar, index into data.bars} for a whole row across the figure, and {bar_part, bar, series}
// for a part of a stacked bar; in a chart of lines {bar, index into data.bars} is a strip of the
// plot around this position. Their titles are tooltips. The height of the drawing depends on the
// number of bars. The row of the bar `marked` is tinted.
Drawing draw_chart(const ChartData& data, double width_px, const MeasureText& measure,
                   std::optional<std::size_t> marked = {});

inline Link bar_link(std::size_t bar) { return {Link::To::bar, static_cast<std::uint32_t>(bar)}; }

}  // namespace mansard::figure
