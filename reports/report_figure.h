// SPDX-License-Identifier: Apache-2.0
// One figure of a report as an SVG file: browsers show it in the reader's color scheme, other
// programs in the light one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace mansard::reports {

struct ReportFigure {
  std::string name;  // of its section, or kind of part: "roofline"; of further ones "sweep-2"
  std::string svg;
};

// All figures of the page, in its order; of several runs or machines those of the first that has
// one of that name.
std::vector<ReportFigure> report_figures(const ReportInput& input);

// Throws std::invalid_argument, naming the figures that there are.
std::string report_figure(const ReportInput& input, std::string_view name);

}  // namespace mansard::reports
