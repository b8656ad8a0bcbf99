// SPDX-License-Identifier: Apache-2.0
// SVG figures of the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/table.h"
#include "reports/figure/drawing.h"

namespace mansard::reports {

// A figure in two widths; page.css shows the one that fits the screen.
struct PageFigure {
  figure::Drawing wide;
  figure::Drawing narrow;
  std::string css_class;     // class of both <svg> elements
  std::string description;   // text alternative, plain text
  std::string caption = {};  // may be empty
};

inline constexpr double kWideFigure_px = 960;
inline constexpr double kNarrowFigure_px = 360;

std::string html_svg(const PageFigure& figure);

// Returns nothing if the table has no chart, or a chart with a single number.
std::optional<PageFigure> chart_figure(const analysis::Table& table);

// Returns chart_figure() as a <figure>, and adds it to `figures` if given; empty without a chart.
std::string html_chart(const analysis::Table& table, std::vector<PageFigure>* figures = nullptr);

}  // namespace mansard::reports
