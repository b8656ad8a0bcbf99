// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_figure.h"

#include <algorithm>
#include <cmath>

namespace mansard::figure {

std::optional<MemoryLevel> first_level(const PlaneFigure& figure) {
  for (const MemoryLevel wanted : {MemoryLevel::hbm, MemoryLevel::dram}) {
    if (std::ranges::find(figure.levels, wanted) != figure.levels.end()) return wanted;
  }
  if (figure.levels.empty()) return std::nullopt;
  return figure.levels.front();
}

bool holds_at(const std::optional<MemoryLevel>& level, const std::optional<MemoryLevel>& shown) {
  return !level || !shown || *level == *shown;
}

PlaneLine extended(const PlaneLine& line, const LogScale& x, const LogScale& y) {
  const double dx = std::log10(line.x1) - std::log10(line.x0);
  const double dy = std::log10(line.y1) - std::log10(line.y0);
  const double steps = std::max(std::abs(dx), std::abs(dy));
  if (!(steps > 0)) return line;
  // Decades from a point to the farthest limit; the line is extended by as many along its longer
  // side.
  const auto decades_to_limits = [&](double px, double py) {
    double farthest = 0;
    for (const double limit : {x.min(), x.max()}) {
      farthest = std::max(farthest, std::abs(std::log10(limit / px)));
    }
    for (const double limit : {y.min(), y.max()}) {
      farthest = std::max(farthest, std::abs(std::log10(limit / py)));
    }
    return farthest;
  };
  PlaneLine out = line;
  // A slope of less than 1 needs more of its longer side to cover the shorter.
  const double least = std::min(std::abs(dx), std::abs(dy));
  const double stretch = least > 0 ? steps / least : 1;
  if (line.open_start) {
    const double t = stretch * decades_to_limits(line.x0, line.y0) / steps;
    out.x0 = line.x0 * std::pow(10.0, -t * dx);
    out.y0 = line.y0 * std::pow(10.0, -t * dy);
  }
  if (line.open_end) {
    const double t = stretch * decades_to_limits(line.x1, line.y1) / steps;
    out.x1 = line.x1 * std::pow(10.0, t * dx);
    out.y1 = line.y1 * std::pow(10.0, t * dy);
  }
  return out;
}

}  // namespace mansard::figure
