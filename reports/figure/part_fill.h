// SPDX-License-Identifier: Apache-2.0
// Fills of chart areas. Device work is solid, in the colors of roofline marks; waiting is hollow.
// Areas of one color differ by texture.
#pragma once

#include "reports/figure/chart_data.h"
#include "reports/figure/palette.h"
#include "reports/figure/texture.h"
#include "reports/figure/waterfall.h"

namespace mansard::figure {

struct Fill {
  Ink color;
  Texture texture = Texture::plain;
  // True: outline and texture in the color, on the background. False: area in the color, texture in
  // the background's color.
  bool hollow = false;
  bool operator==(const Fill&) const = default;
};

// The fill of an operation class (analyzer/classify): the color of its marks, and a texture instead
// of the shape.
Fill class_fill(analysis::OperationClass operation_class);

// The fill of a part of a stacked bar; `number` is the index of the series. Operation classes and
// causes of idle time have the same fill in all charts.
Fill part_fill(const ChartSeries& series, std::size_t number);

Ink role_ink(WaterfallRole role);

}  // namespace mansard::figure
