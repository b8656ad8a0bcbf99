// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "reports/figure/axis_limits.h"
#include "reports/figure/plane_figure.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

// The work of training kernels is 0.2 to 1000 times the work that the machine can do in the launch
// overhead.
constexpr double kMin = 0.2;
constexpr double kMax = 1e3;

double amount(const std::map<MemoryLevel, double>& bytes, MemoryLevel level) {
  const auto found = bytes.find(level);
  return found != bytes.end() && plottable(found->second) ? found->second : 0;
}

bool drawable(const analysis::KernelRow& row, const roofline::DeviceModel& machine) {
  return row.launches > 0 && row.target == machine.device.target;
}

void add_levels(PlaneFigure& figure, const roofline::DeviceModel& machine,
                const analysis::RunAnalysis& run) {
  for (const MemoryLevelInfo& i : kMemoryLevels) {
    const bool counted = std::ranges::any_of(run.rows, [&](const analysis::KernelRow& row) {
      return drawable(row, machine) && amount(row.work.bytes, i.id) > 0;
    });
    if (counted) figure.levels.push_back(i.id);
  }
}

void add_complexity_points(PlaneFigure& figure, const roofline::DeviceModel& machine,
                           const analysis::RunAnalysis& run) {
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const analysis::KernelRow& row = run.rows[i];
    const auto launches = static_cast<double>(row.launches);
    const double flop = plottable(row.work.total_flop()) ? row.work.total_flop() : 0;
    bool drawn = false;
    for (const MemoryLevel level : figure.levels) {
      const double bytes = amount(row.work.bytes, level);
      if (!drawable(row, machine) || (flop == 0 && bytes == 0)) continue;
      figure.points.push_back({i,
                               level,
                               flop / launches,
                               bytes / launches,
                               plottable(row.share) ? std::min(row.share, 1.0) : 0.0,
                               row.short_name.empty() ? row.name : row.short_name,
                               row.operation_class,
                               {}});
      drawn = true;
    }
    if (!drawn) ++figure.rows_without_points;
  }
}

void include(AxisRange& range, const roofline::Ceiling* ceiling) {
  if (ceiling != nullptr && plottable(ceiling->value)) range.include(ceiling->value);
}

// The ridge points of all number formats with the main memory, independent of the run.
void set_plane_limits(PlaneFigure& figure, const roofline::DeviceModel& machine) {
  AxisRange flop_per_s;
  AxisRange bytes_per_s;
  for (const PrecisionInfo& i : kPrecisions) include(flop_per_s, machine.compute(i.id));
  for (const MemoryLevel level : {MemoryLevel::hbm, MemoryLevel::dram}) {
    include(bytes_per_s, machine.bandwidth(level));
  }
  const double launch_s = machine.launch_s().value_or(0);
  const auto of_a_launch = [&](const AxisRange& rate) {
    if (rate.empty() || !plottable(launch_s)) return AxisRange{};
    return AxisRange{rate.low * launch_s * kMin, rate.high * launch_s * kMax};
  };
  set_limits(figure, of_a_launch(flop_per_s), of_a_launch(bytes_per_s), kLaunchLimits);
}

// The visible part of the diagonal of an arithmetic intensity, open at both ends.
PlaneLine diagonal(const PlaneFigure& figure, double flop_per_byte) {
  PlaneLine line;
  line.value = flop_per_byte;
  line.x0 = std::max(figure.x.min, figure.y.min * flop_per_byte);
  line.x1 = std::min(figure.x.max, figure.y.max * flop_per_byte);
  line.y0 = line.x0 / flop_per_byte;
  line.y1 = line.x1 / flop_per_byte;
  line.open_start = line.open_end = true;
  return line;
}

// The machine balance of a precision and a tier: kernels below it are compute-bound, above it
// bandwidth-bound. The line starts at the corner of the box of work that takes less time than the
// launch overhead.
void add_balance(PlaneFigure& figure, const roofline::Ceiling& compute,
                 const roofline::Ceiling& bandwidth, double launch_s) {
  PlaneLine line = diagonal(figure, compute.value / bandwidth.value);
  const std::string precision(info(*compute.precision).label);
  const std::string level(info(*bandwidth.level).label);
  line.id = "balance " + compute.id + " " + bandwidth.id;
  line.name = precision;
  line.label = precision + " / " + level + ' ' + format_si(line.value, "FLOP/B");
  line.kind = LineKind::boundary;
  line.label_place = LabelPlace::near_end;
  line.precision = compute.precision;
  line.level = bandwidth.level;
  const double box_x = compute.value * launch_s;
  const double box_y = bandwidth.value * launch_s;
  if (launch_s > 0 && box_x >= line.x0) {
    line.x0 = box_x;
    line.y0 = box_y;
    line.open_start = false;
  }
  if (line.x0 < line.x1) figure.lines.push_back(line);
  if (launch_s > 0) {
    figure.regions.push_back({"overhead " + compute.id + ' ' + bandwidth.id, "",
                              Corner::bottom_left, box_x, box_y, bandwidth.level});
  }
}

void add_balances(PlaneFigure& figure, const roofline::DeviceModel& machine) {
  const double launch_s = machine.launch_s().value_or(0);
  const std::set<Precision>& precisions = figure.used;
  for (const MemoryLevel level : figure.levels) {
    const roofline::Ceiling* bandwidth = machine.bandwidth(level);
    if (bandwidth == nullptr || !plottable(bandwidth->value)) continue;
    for (const Precision precision : precisions) {
      const roofline::Ceiling* compute = machine.compute(precision);
      if (compute == nullptr || !plottable(compute->value)) continue;
      add_balance(figure, *compute, *bandwidth, plottable(launch_s) ? launch_s : 0);
    }
  }
  if (!figure.regions.empty()) {
    figure.regions.push_back(
        {"overhead", "Launch-bound, " + format_si(launch_s, "s"), Corner::bottom_left, 0, 0, {}});
  }
}

void add_intensities(PlaneFigure& figure) {
  for (const double flop_per_byte : {0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    PlaneLine line = diagonal(figure, flop_per_byte);
    line.kind = LineKind::iso;
    line.name = tick_label(flop_per_byte, TickLabels::number);
    // "10 FLOP/B", but "10 kFLOP/B".
    line.label = line.name + (flop_per_byte < 1e3 ? " FLOP/B" : "FLOP/B");
    line.id = "intensity " + line.name;
    // Skip lines that only touch a corner.
    if (line.x0 * 1.5 < line.x1) figure.lines.push_back(line);
  }
}

}  // namespace

PlaneFigure layout_complexity_plane(const roofline::DeviceModel& machine,
                                    const analysis::RunAnalysis& run) {
  PlaneFigure figure;
  figure.id = "complexity_plane";
  figure.x = {"FLOPs per launch", "FLOP", "flop", "", false, TickLabels::si, 1e6, 1e13};
  figure.y = {"Bytes per launch", "B", "bytes", "", true, TickLabels::si, 1e5, 1e10};
  figure.used = used_precisions(run);
  add_levels(figure, machine, run);
  add_complexity_points(figure, machine, run);
  set_plane_limits(figure, machine);
  add_balances(figure, machine);
  figure.regions.push_back({"bandwidth", "Bandwidth-bound", Corner::top_left, 0, 0, {}});
  figure.regions.push_back({"compute", "Compute-bound", Corner::bottom_right, 0, 0, {}});
  add_intensities(figure);
  return figure;
}

}  // namespace mansard::figure
