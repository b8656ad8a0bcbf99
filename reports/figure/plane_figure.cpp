// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_figure.h"

#include <algorithm>
#include <cmath>
#include <map>

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

bool is_rate(const PlaneFigure& figure, PlanePosition point) {
  return figure.rates_at_edge && !(point.x > 0) && point.y > 0;
}

bool is_unused(const PlaneLine& line, const std::set<Precision>& used) {
  return line.precision && !used.empty() && !used.contains(*line.precision);
}

bool is_prominent(const PlaneLine& line, const std::optional<MemoryLevel>& shown,
                  const std::set<Precision>& used) {
  return holds_at(line.level, shown) && !is_unused(line, used);
}

std::set<Precision> used_precisions(const analysis::RunAnalysis& run) {
  constexpr double kLeastShare = 0.01;
  std::map<Precision, double> shares;
  for (const analysis::KernelRow& row : run.rows) {
    const auto most = std::ranges::max_element(
        row.work.flop, {},
        [](const auto& precision_and_flop) { return precision_and_flop.second; });
    if (most != row.work.flop.end() && most->second > 0) shares[most->first] += row.share;
  }
  std::set<Precision> used;
  for (const auto& [precision, share] : shares) {
    if (share >= kLeastShare) used.insert(precision);
  }
  return used;
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
