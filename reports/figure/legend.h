// SPDX-License-Identifier: Apache-2.0
// What the fills of a chart mean: a sample of each beside its name, in columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/figure/text_box.h"

namespace mansard::figure {

struct LegendEntry {
  std::size_t item = 0;  // into the names
  Rect swatch;
  PlacedText name;
};

struct Legend {
  std::vector<LegendEntry> entries;  // along the rows
  double bottom = 0;                 // `top` where there are none
};

// As many columns of one width as fit between `left` and `right`; names wider than that lose their
// middle.
Legend place_legend(std::span<const std::string> names, double left, double right, double top,
                    const MeasureText& measure);

}  // namespace mansard::figure
