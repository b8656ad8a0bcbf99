// SPDX-License-Identifier: Apache-2.0
// An arrow from one mark to another: from edge to edge, so that it covers neither.
#pragma once

#include <array>
#include <optional>

#include "reports/figure/geometry.h"

namespace mansard::figure {

struct Arrow {
  Segment shaft;              // ends at the base of the head
  std::array<Point, 3> head;  // the tip first
};

// Pixels. Nothing where the marks are so close that no head fits between them.
std::optional<Arrow> place_arrow(Point from, double from_radius, Point to, double to_radius);

}  // namespace mansard::figure
