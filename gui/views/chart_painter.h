// SPDX-License-Identifier: Apache-2.0
// A table's chart, laid out for a width and a font and drawn with QPainter: the geometry and the
// fills are those of the page.
#pragma once

#include <QFont>
#include <optional>
#include <variant>

#include "reports/figure/bar_chart.h"
#include "reports/figure/palette.h"
#include "reports/figure/waterfall.h"

class QPainter;

namespace mansard::gui {

struct ChartFigure {
  figure::ChartData data;
  std::variant<figure::Waterfall, figure::BarChart> layout;

  const figure::ChartFrame& frame() const;
};

// Text as the window will draw it.
figure::MeasureText measure_in(const QFont& font);

ChartFigure layout_chart(figure::ChartData data, double width_px, const QFont& font);

// In the painter's font, which is the one of the layout; the ground is the caller's. Bars of
// `marked` stand out: the row of the cursor, or the chosen one.
void paint_chart(QPainter& painter, const ChartFigure& figure, figure::Theme theme,
                 std::optional<std::size_t> marked = {});

}  // namespace mansard::gui
