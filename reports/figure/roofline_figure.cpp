// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/roofline_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/vocabulary/units.h"

namespace mansard {
namespace {

// A point far from every ceiling is a wrong annotation more often than a slow kernel; it must not
// squeeze the others into a corner. It stays in the figure, outside its limits.
constexpr double kDecadesForPoints = 4;

bool plottable(double value) { return value > 0 && std::isfinite(value); }

double floor_decade(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }
double ceil_decade(double value) { return std::pow(10.0, std::ceil(std::log10(value) - 1e-9)); }

bool is_link(MemoryLevel level) {
  return level == MemoryLevel::nvlink || level == MemoryLevel::pcie;
}

struct Roof {
  const Ceiling* ceiling = nullptr;
  double value = 0;
};

struct Roofs {
  std::vector<Roof> compute;    // falling
  std::vector<Roof> bandwidth;  // falling
  // Links to other devices bound a kernel far to the right of all else. Unless they are all there
  // is, the figure shows only where they end.
  bool links_only = true;
  double highest_flop_per_s = 0;   // 0: no compute ceiling
  double highest_bytes_per_s = 0;  // 0: no bandwidth
};

Roofs best_ceilings(const DeviceModel& machine) {
  Roofs roofs;
  const auto add = [](std::vector<Roof>& list, const Ceiling* ceiling) {
    if (ceiling != nullptr && plottable(ceiling->value)) list.push_back({ceiling, ceiling->value});
  };
  for (const PrecisionInfo& i : kPrecisions) add(roofs.compute, machine.compute(i.id));
  for (const MemoryLevelInfo& i : kMemoryLevels) add(roofs.bandwidth, machine.bandwidth(i.id));
  roofs.links_only = std::ranges::all_of(roofs.bandwidth,
                                         [](const Roof& b) { return is_link(*b.ceiling->level); });
  const auto falling = [](const Roof& a, const Roof& b) { return a.value > b.value; };
  std::ranges::stable_sort(roofs.compute, falling);
  std::ranges::stable_sort(roofs.bandwidth, falling);
  if (!roofs.compute.empty()) roofs.highest_flop_per_s = roofs.compute.front().value;
  if (!roofs.bandwidth.empty()) roofs.highest_bytes_per_s = roofs.bandwidth.front().value;
  return roofs;
}

// A closed range that grows to take in values; empty until the first one.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  bool empty() const { return !(low <= high); }
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The limits depend on the ceilings first, so that two runs on one machine compare by eye.
void set_limits(RooflineFigure& figure, const Roofs& roofs) {
  const auto shown_whole = [&](const Roof& b) {
    return roofs.links_only || !is_link(*b.ceiling->level);
  };
  Range x;
  Range y;
  for (const Roof& b : roofs.bandwidth) {
    for (const Roof& c : roofs.compute) {
      if (shown_whole(b) || c.value == roofs.highest_flop_per_s) x.include(c.value / b.value);
    }
  }
  if (x.empty()) {
    x.include(0.1);
    x.include(100);
  }
  // A decade to the left of the first ridge shows the slopes themselves, and most kernels that are
  // bound by memory.
  figure.x_min = floor_decade(x.low / 10);
  figure.x_max = ceil_decade(x.high * 3);

  for (const Roof& c : roofs.compute) y.include(c.value);
  for (const Roof& b : roofs.bandwidth) {
    if (shown_whole(b)) y.include(b.value * figure.x_min);
    if (roofs.compute.empty()) y.include(b.value * figure.x_max);
  }
  if (roofs.bandwidth.empty() && !y.empty()) y.include(y.low / 1e3);

  Range px;
  Range py;
  const double reach = std::pow(10.0, kDecadesForPoints);
  for (const FigurePoint& p : figure.points) {
    const bool near_x = p.x >= figure.x_min / reach && p.x <= figure.x_max * reach;
    const bool near_y = y.empty() || (p.y >= y.low / reach && p.y <= y.high * reach);
    if (near_x && near_y) {
      px.include(p.x);
      py.include(p.y);
    }
  }
  if (!px.empty()) {
    figure.x_min = std::min(figure.x_min, floor_decade(px.low / 1.2));
    figure.x_max = std::max(figure.x_max, ceil_decade(px.high * 1.2));
    y.include(py.low / 1.2);
    y.include(py.high);
  }
  if (y.empty()) {
    y.include(1e9);
    y.include(1e14);
  }
  figure.y_min = floor_decade(y.low);
  // Labels and marks on the highest ceiling need some air above it.
  figure.y_max = ceil_decade(y.high * 1.5);
}

RoofLine line_of(const Ceiling& ceiling, std::string_view label) {
  RoofLine line;
  line.id = ceiling.id;
  line.label = std::string(label) + ' ' + format_si(ceiling.value, ceiling.unit);
  line.precision = ceiling.precision;
  line.level = ceiling.level;
  line.value = ceiling.value;
  return line;
}

void add_lines(RooflineFigure& figure, const Roofs& roofs) {
  for (const Roof& b : roofs.bandwidth) {
    RoofLine line = line_of(*b.ceiling, info(*b.ceiling->level).label);
    line.diagonal = true;
    line.precision.reset();
    line.x0 = std::max(figure.x_min, figure.y_min / b.value);
    line.y0 = b.value * line.x0;
    const double top = roofs.compute.empty() ? figure.y_max : roofs.highest_flop_per_s;
    line.x1 = std::min(figure.x_max, top / b.value);
    line.y1 = line.x1 == figure.x_max ? b.value * line.x1 : top;
    if (line.x0 < line.x1) figure.lines.push_back(line);
  }
  for (const Roof& c : roofs.compute) {
    RoofLine line = line_of(*c.ceiling, info(*c.ceiling->precision).label);
    line.level.reset();
    line.x0 = figure.x_min;
    if (!roofs.bandwidth.empty()) line.x0 = c.value / roofs.highest_bytes_per_s;
    line.x1 = figure.x_max;
    line.y0 = line.y1 = c.value;
    figure.lines.push_back(line);
  }
}

void add_points(RooflineFigure& figure, const RunAnalysis& run) {
  std::vector<bool> drawn(run.rows.size(), false);
  for (const RooflinePoint& p : run.points) {
    if (p.row >= run.rows.size() || !plottable(p.intensity) || !plottable(p.flop_per_s)) continue;
    const KernelRow& row = run.rows[p.row];
    const double share = plottable(row.share) ? std::min(row.share, 1.0) : 0.0;
    figure.points.push_back({p.row, p.level, p.intensity, p.flop_per_s, share,
                             row.short_name.empty() ? row.name : row.short_name,
                             row.operation_class});
    drawn[p.row] = true;
  }
  figure.rows_without_points = static_cast<std::size_t>(std::ranges::count(drawn, false));
}

}  // namespace

RooflineFigure layout_roofline(const DeviceModel& machine, const RunAnalysis* run) {
  RooflineFigure figure;
  if (run != nullptr) add_points(figure, *run);
  const Roofs roofs = best_ceilings(machine);
  set_limits(figure, roofs);
  add_lines(figure, roofs);
  return figure;
}

}  // namespace mansard
