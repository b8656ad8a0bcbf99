// SPDX-License-Identifier: Apache-2.0
// A figure of a report as an SVG file. Browsers show it in the user's color scheme, other programs
// in the light one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace mansard::reports {

struct ReportFigure {
  std::string name;  // its section or kind of part: "roofline"; further figures: "sweep-2"
  std::string svg;
};

// Returns all figures in page order. With several runs or machines, the first one that has a figure
// of a name provides it.
std::vector<ReportFigure> report_figures(const ReportInput& input);

// Throws std::invalid_argument with the list of available figures if there is no figure of this
// name.
std::string report_figure(const ReportInput& input, std::string_view name);

}  // namespace mansard::reports
