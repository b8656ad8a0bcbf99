// SPDX-License-Identifier: Apache-2.0
// Charts of tables as SVG.
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/chart_data.h"

namespace mansard::reports {

// `escaped_description` becomes the text alternative. The height follows from the number of bars.
std::string chart_svg(const figure::ChartData& data, double width_px, std::string_view css_class,
                      std::string_view escaped_description);

// The figure above a table: its chart for wide and for narrow screens. Empty where it has none, or
// one that would say no more than a single number.
std::string html_chart(const analysis::Table& table);

}  // namespace mansard::reports
