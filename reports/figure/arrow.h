// SPDX-License-Identifier: Apache-2.0
// An arrow from the edge of one mark to the edge of another, so that it covers neither.
#pragma once

#include <array>
#include <optional>

#include "reports/figure/geometry.h"

namespace mansard::figure {

struct Arrow {
  Segment shaft;              // ends at the base of the head
  std::array<Point, 3> head;  // the tip first
};

// All lengths are in pixels. Returns nothing if the marks are too close for the arrow head.
std::optional<Arrow> place_arrow(Point from, double from_radius, Point to, double to_radius);

}  // namespace mansard::figure
