// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/arrow.h"

#include <cmath>

namespace mansard::figure {
namespace {

constexpr double kHeadLength_px = 8;
constexpr double kHeadHalfWidth_px = 3.5;
constexpr double kGap_px = 1.5;  // between a mark and the arrow

}  // namespace

std::optional<Arrow> place_arrow(Point from, double from_radius, Point to, double to_radius) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = std::hypot(dx, dy);
  const double start = from_radius + kGap_px;
  const double tip = length - to_radius - kGap_px;
  const double base = tip - kHeadLength_px;
  if (!std::isfinite(length) || base < start) return std::nullopt;
  const double ux = dx / length;
  const double uy = dy / length;
  // `along` the way and `aside` of it.
  const auto at = [&](double along, double aside) {
    return Point{from.x + ux * along - uy * aside, from.y + uy * along + ux * aside};
  };
  return Arrow{{at(start, 0), at(base, 0)},
               {at(tip, 0), at(base, kHeadHalfWidth_px), at(base, -kHeadHalfWidth_px)}};
}

}  // namespace mansard::figure
