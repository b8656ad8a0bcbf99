// SPDX-License-Identifier: Apache-2.0
// The legend of a chart's fills: a swatch and a name per entry, in columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/figure/text_box.h"

namespace mansard::figure {

struct LegendEntry {
  std::size_t item = 0;  // index into the names
  Rect swatch;
  PlacedText name;
};

struct Legend {
  std::vector<LegendEntry> entries;  // row by row
  double bottom = 0;                 // `top` if there are no entries
};

// Uses as many columns of equal width as fit between `left` and `right`. Names that are too wide
// are truncated in the middle.
Legend place_legend(std::span<const std::string> names, double left, double right, double top,
                    const MeasureText& measure);

}  // namespace mansard::figure
