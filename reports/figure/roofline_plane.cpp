// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "analyzer/step_tiers.h"
#include "reports/figure/axis_limits.h"
#include "reports/figure/plane_figure.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

struct Roof {
  const roofline::Ceiling* ceiling = nullptr;
  double value = 0;
};

struct Roofs {
  std::vector<Roof> compute;    // falling
  std::vector<Roof> bandwidth;  // falling
  // Interconnects have ridge points far to the right of all others. Unless they are the only tiers,
  // the figure shows only the ends of their slopes.
  bool links_only = true;
  double highest_flop_per_s = 0;   // 0: no compute ceiling
  double highest_bytes_per_s = 0;  // 0: no bandwidth
};

Roofs best_ceilings(const roofline::DeviceModel& machine) {
  Roofs roofs;
  const auto add = [](std::vector<Roof>& list, const roofline::Ceiling* ceiling) {
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

void set_roofline_limits(PlaneFigure& figure, const Roofs& roofs) {
  const auto shown_whole = [&](const Roof& b) {
    return roofs.links_only || !is_link(*b.ceiling->level);
  };
  AxisRange ridges;
  for (const Roof& b : roofs.bandwidth) {
    for (const Roof& c : roofs.compute) {
      if (shown_whole(b) || c.value == roofs.highest_flop_per_s) ridges.include(c.value / b.value);
    }
  }
  if (ridges.empty()) {
    ridges.include(0.1);
    ridges.include(100);
  }
  // One decade left of the first ridge point shows the slopes and most memory-bound kernels.
  const AxisRange x{floor_decade(ridges.low / 10), ceil_decade(ridges.high * 3)};

  AxisRange y;
  for (const Roof& c : roofs.compute) y.include(c.value);
  for (const Roof& b : roofs.bandwidth) {
    if (shown_whole(b)) y.include(b.value * x.low);
    if (roofs.compute.empty()) y.include(b.value * x.high);
  }
  if (roofs.bandwidth.empty() && !y.empty()) y.include(y.low / 1e3);
  // Leaves room for labels and marks above the highest ceiling.
  constexpr LimitRules kRules = {.headroom = 1.5};
  set_limits(figure, x, y, kRules);
  for (const PlanePoint& p : figure.points) {
    const double at_edge = p.x > 0 ? 0 : p.y * figure.x.min;
    if (at_edge > 0 && at_edge < figure.y.min && at_edge > figure.y.min / kRules.reach_down) {
      figure.y.min = floor_decade(at_edge);
    }
  }
}

// Points with 95 % of the time, and above them the roof that bounds them: the ridge points of the
// first tier with the ceilings in use.
void show_where_time_is(PlaneFigure& figure, const Roofs& roofs) {
  const std::optional<MemoryLevel> level = first_level(figure);
  AxisRange x;
  AxisRange y;
  constexpr double kHeadroom = 1.5;
  for (const Roof& c : roofs.compute) {
    const bool used = figure.used.contains(*c.ceiling->precision);
    if (!used && !figure.used.empty()) continue;
    y.include(c.value * kHeadroom);
    for (const Roof& b : roofs.bandwidth) {
      if (b.ceiling->level == level) x.include(c.value / b.value);
    }
  }
  set_first_part(figure, x, y);
}

PlaneLine line_of(const roofline::Ceiling& ceiling, std::string_view name) {
  PlaneLine line;
  line.id = ceiling.id;
  line.name = name;
  line.label = std::string(name) + ' ' + format_si(ceiling.value, ceiling.unit);
  line.value = ceiling.value;
  return line;
}

void add_lines(PlaneFigure& figure, const Roofs& roofs) {
  for (const Roof& b : roofs.bandwidth) {
    PlaneLine line = line_of(*b.ceiling, info(*b.ceiling->level).label);
    line.level = b.ceiling->level;
    line.x0 = std::max(figure.x.min, figure.y.min / b.value);
    line.y0 = b.value * line.x0;
    line.open_start = true;
    line.open_end = roofs.compute.empty();
    const double top = roofs.compute.empty() ? figure.y.max : roofs.highest_flop_per_s;
    line.x1 = std::min(figure.x.max, top / b.value);
    line.y1 = line.x1 == figure.x.max ? b.value * line.x1 : top;
    if (line.x0 < line.x1) figure.lines.push_back(line);
  }
  for (const Roof& c : roofs.compute) {
    PlaneLine line = line_of(*c.ceiling, info(*c.ceiling->precision).label);
    line.precision = c.ceiling->precision;
    line.label_place = LabelPlace::margin;
    line.open_start = roofs.bandwidth.empty();
    line.open_end = true;
    line.x0 = line.open_start ? figure.x.min : c.value / roofs.highest_bytes_per_s;
    line.x1 = figure.x.max;
    line.y0 = line.y1 = c.value;
    figure.lines.push_back(line);
  }
}

// The whole step over links, where kernels have no arithmetic intensity: lines from its FLOP/s up
// to the roofs.
std::vector<PlaneLine> step_lines(const analysis::RunAnalysis& run, const Roofs& roofs) {
  const analysis::RunUnit unit(run);
  const analysis::StepTiers step(run, unit);
  std::vector<PlaneLine> lines;
  for (const analysis::TierPoint& p : step.points()) {
    const auto attainable = analysis::attainable_flop_per_s(p);
    const bool drawn = std::ranges::any_of(
        roofs.bandwidth, [&](const Roof& roof) { return roof.ceiling->id == p.roof->id; });
    if (!is_link(p.level) || !drawn || !plottable(p.flop_per_s)) continue;
    if (!attainable || *attainable <= p.flop_per_s) continue;
    PlaneLine line;
    line.id = std::string(unit.name()) + "_" + std::string(info(p.level).key);
    line.name = unit.name();
    line.label = line.name + " " + format_si(p.flop_per_byte, "FLOP/B");
    line.label_place = LabelPlace::near_end;
    line.kind = LineKind::boundary;
    line.level = p.level;
    line.value = p.flop_per_byte;
    line.x0 = line.x1 = p.flop_per_byte;
    line.y0 = p.flop_per_s / 10;
    line.y1 = p.flop_per_s;
    line.open_start = true;
    PlaneLine gap = line;
    gap.id += "_gap";
    gap.label.clear();
    gap.kind = LineKind::iso;
    gap.y0 = p.flop_per_s;
    gap.y1 = *attainable;
    gap.open_start = false;
    lines.push_back(std::move(line));
    lines.push_back(std::move(gap));
  }
  return lines;
}

PlanePoint point_of(const analysis::KernelRow& row, std::size_t index, MemoryLevel level, double x,
                    double y) {
  return {index,
          level,
          x,
          y,
          plottable(row.share) ? std::min(row.share, 1.0) : 0.0,
          row.short_name.empty() ? row.name : row.short_name,
          row.operation_class,
          {}};
}

// Kernels that only move data have no arithmetic intensity: they are placed by their bandwidth.
// Memcpys and memsets are left out: every run has some, and they say little about its kernels.
void add_rates(PlaneFigure& figure, const analysis::RunAnalysis& run, kernels::Target target,
               std::vector<bool>& drawn, std::set<MemoryLevel>& levels) {
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const analysis::KernelRow& row = run.rows[i];
    if (row.target != target || is_memory_operation(row) || row.work.total_flop() > 0 ||
        !plottable(row.time_s)) {
      continue;
    }
    for (const auto& [level, bytes] : row.work.bytes) {
      if (!plottable(bytes)) continue;
      figure.points.push_back(point_of(row, i, level, 0, bytes / row.time_s));
      drawn[i] = true;
      levels.insert(level);
    }
  }
}

void mark_largest_savings(PlaneFigure& figure, const analysis::RunAnalysis& run) {
  constexpr std::size_t kMarked = 3;
  std::set<std::size_t> rows;
  for (const PlanePoint& p : figure.points) {
    if (run.rows[p.row].saving_s > 0) rows.insert(p.row);
  }
  std::vector<std::size_t> order(rows.begin(), rows.end());
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t row) { return run.rows[row].saving_s; });
  order.resize(std::min(order.size(), kMarked));
  for (PlanePoint& p : figure.points) {
    if (std::ranges::find(order, p.row) != order.end()) p.saving_s = run.rows[p.row].saving_s;
  }
}

void add_roofline_points(PlaneFigure& figure, const analysis::RunAnalysis& run,
                         kernels::Target target) {
  std::vector<bool> drawn(run.rows.size(), false);
  figure.points.reserve(run.points.size());
  std::set<MemoryLevel> levels;
  for (const analysis::RooflinePoint& p : run.points) {
    if (p.row >= run.rows.size() || !plottable(p.intensity) || !plottable(p.flop_per_s)) continue;
    const analysis::KernelRow& row = run.rows[p.row];
    figure.points.push_back(point_of(row, p.row, p.level, p.intensity, p.flop_per_s));
    drawn[p.row] = true;
    levels.insert(p.level);
  }
  add_rates(figure, run, target, drawn, levels);
  for (const MemoryLevelInfo& i : kMemoryLevels) {
    if (levels.contains(i.id)) figure.levels.push_back(i.id);
  }
  figure.rows_without_points = static_cast<std::size_t>(std::ranges::count(drawn, false));
}

}  // namespace

PlaneFigure layout_roofline(const roofline::DeviceModel& machine,
                            const analysis::RunAnalysis* run) {
  PlaneFigure figure;
  figure.id = "roofline";
  figure.x = {"Arithmetic intensity", "FLOP/B", "flop_per_byte", "", true, TickLabels::number};
  figure.y = {"Performance", "FLOP/s", "flop_per_s", "", false, TickLabels::si, 1e9, 1e14};
  figure.launch_y = -1;  // the same work in f times the time
  figure.rates_at_edge = true;
  if (run != nullptr) {
    add_roofline_points(figure, *run, machine.device.target);
    mark_largest_savings(figure, *run);
    figure.used = used_precisions(*run);
  }
  const Roofs roofs = best_ceilings(machine);
  set_roofline_limits(figure, roofs);
  const std::vector<PlaneLine> steps =
      run != nullptr ? step_lines(*run, roofs) : std::vector<PlaneLine>();
  for (const PlaneLine& line : steps) {
    figure.x.max = std::max(figure.x.max, ceil_decade(line.value));
  }
  add_lines(figure, roofs);
  figure.lines.insert(figure.lines.end(), steps.begin(), steps.end());
  if (run != nullptr && !figure.points.empty()) show_where_time_is(figure, roofs);
  return figure;
}

}  // namespace mansard::figure
