// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/mean_launch.h"
#include "reports/figure/axis_limits.h"
#include "reports/figure/plane_figure.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

// Training kernels take from 0.2 to 1000 times the launch overhead.
constexpr double kMinFactor = 0.2;
constexpr double kMaxFactor = 1e3;

void add_time_points(PlaneFigure& figure, const roofline::DeviceModel& machine,
                     const analysis::RunAnalysis& run) {
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const analysis::KernelRow& row = run.rows[i];
    const bool launched = row.launches > 0 && row.target == machine.device.target;
    const analysis::MeanLaunch launch =
        launched ? analysis::mean_launch(row) : analysis::MeanLaunch{};
    if (launch.region.empty() || !plottable(launch.time_s)) {
      ++figure.rows_without_points;
      continue;
    }
    figure.points.push_back({i, launch.tier, launch.measured_compute_s, launch.measured_bandwidth_s,
                             plottable(row.share) ? std::min(row.share, 1.0) : 0.0,
                             row.short_name.empty() ? row.name : row.short_name,
                             row.operation_class,
                             PlanePosition{launch.compute_s, launch.bandwidth_s}});
  }
}

// Kernels above the diagonal are bandwidth-bound, those below compute-bound.
void add_diagonal(PlaneFigure& figure) {
  PlaneLine line;
  line.id = "balance";
  line.kind = LineKind::boundary;
  line.value = 1;
  line.x0 = line.y0 = std::max(figure.x.min, figure.y.min);
  line.x1 = line.y1 = std::min(figure.x.max, figure.y.max);
  line.open_start = line.open_end = true;
  if (line.x0 < line.x1) figure.lines.push_back(line);
  figure.regions.push_back({"bandwidth", "Bandwidth-bound", Corner::top_left, 0, 0, {}});
  figure.regions.push_back({"compute", "Compute-bound", Corner::bottom_right, 0, 0, {}});
}

// The right angle of points whose SOL time is `time_s`.
void add_runtime(PlaneFigure& figure, double time_s) {
  PlaneLine line;
  line.kind = LineKind::iso;
  line.label_place = LabelPlace::near_end;
  line.value = time_s;
  line.label = line.name = tick_label(time_s, TickLabels::seconds);
  if (time_s > figure.y.min && time_s < figure.y.max && time_s > figure.x.min) {
    line.id = "runtime " + line.name + " of bandwidth";
    line.x0 = figure.x.min;
    line.x1 = std::min(time_s, figure.x.max);
    line.y0 = line.y1 = time_s;
    line.open_start = true;
    line.open_end = time_s > figure.x.max;
    figure.lines.push_back(line);
    line.label.clear();  // one label for both sides
  }
  if (time_s > figure.x.min && time_s < figure.x.max && time_s > figure.y.min) {
    line.id = "runtime " + line.name + " of compute";
    line.x0 = line.x1 = time_s;
    line.y0 = figure.y.min;
    line.y1 = std::min(time_s, figure.y.max);
    line.open_start = true;
    line.open_end = time_s > figure.y.max;
    figure.lines.push_back(line);
  }
}

}  // namespace

PlaneFigure layout_time_plane(const roofline::DeviceModel& machine,
                              const analysis::RunAnalysis& run) {
  PlaneFigure figure;
  figure.id = "time_plane";
  figure.x = {"Compute time per launch",
              "s",
              "time_plane_x_s",
              "compute_s",
              false,
              TickLabels::seconds,
              1e-7,
              1e-2};
  figure.y = {"Bandwidth time per launch",
              "s",
              "time_plane_y_s",
              "bandwidth_s",
              true,
              TickLabels::seconds,
              1e-7,
              1e-2};
  figure.launch_x = figure.launch_y = 1;
  figure.used = used_precisions(run);
  add_time_points(figure, machine, run);

  AxisRange range;
  const double launch_s = machine.launch_s().value_or(0);
  if (plottable(launch_s)) range = {launch_s * kMinFactor, launch_s * kMaxFactor};
  set_limits(figure, range, range, kLaunchLimits);

  if (plottable(launch_s)) {
    figure.regions.push_back({"overhead",
                              "Launch-bound, " + format_si(launch_s, "s"),
                              Corner::bottom_left,
                              launch_s,
                              launch_s,
                              {}});
  }
  add_diagonal(figure);
  const double first_s = std::min(figure.x.min, figure.y.min);
  const double last_s = std::max(figure.x.max, figure.y.max);
  for (double time_s = first_s; time_s < last_s * 2; time_s = ceil_decade(time_s * 2)) {
    add_runtime(figure, time_s);
  }
  return figure;
}

}  // namespace mansard::figure
