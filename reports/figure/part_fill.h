// SPDX-License-Identifier: Apache-2.0
// How areas of charts are filled. A device's work is solid, in the colours of roofline marks; its
// waiting is hollow. What shares a colour differs by texture.
#pragma once

#include "reports/figure/chart_data.h"
#include "reports/figure/palette.h"
#include "reports/figure/texture.h"
#include "reports/figure/waterfall.h"

namespace mansard::figure {

struct Fill {
  Rgb colour;
  Texture texture = Texture::plain;
  // Hollow: outline and texture in the colour, on the figure's background. Else the area is in the
  // colour and the texture in that of the background.
  bool hollow = false;
  bool operator==(const Fill&) const = default;
};

// Of a class of analyzer/classify: mark_style()'s colour, and a texture for its mark's shape.
Fill class_fill(std::string_view operation_class, Theme theme);

// Of a part of a stacked bar; `number` counts the series. Classes of kernels and causes of idling
// look the same in every chart.
Fill part_fill(const ChartSeries& series, std::size_t number, Theme theme);

Rgb role_colour(WaterfallRole role, Theme theme);

}  // namespace mansard::figure
