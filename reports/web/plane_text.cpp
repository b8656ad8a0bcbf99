// SPDX-License-Identifier: Apache-2.0
#include "reports/web/plane_text.h"

#include <algorithm>

#include "reports/figure/plane_layout.h"
#include "reports/web/page_limits.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

// "3 kernels (1.2 % of the time)"
std::string kernels_of(const analysis::RunAnalysis& run, const std::vector<bool>& chosen) {
  const auto count = std::ranges::count(chosen, true);
  double share = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) share += chosen[i] ? run.rows[i].share : 0;
  return std::to_string(count) + (count == 1 ? " kernel (" : " kernels (") + format_percent(share) +
         " of the time)";
}

// "On the left edge: 3 kernels (1.2 % of the time) without known FLOPs, 1 kernel (0.1 % of the
// time) below the axis range. "
std::string on_edge(const analysis::RunAnalysis& run, const std::string& edge,
                    const std::string& what, const std::vector<bool>& unknown,
                    const std::vector<bool>& less) {
  std::string text;
  if (std::ranges::count(unknown, true) > 0) {
    text += kernels_of(run, unknown) + " without known " + what;
  }
  if (std::ranges::count(less, true) > 0) {
    if (!text.empty()) text += ", ";
    text += kernels_of(run, less) + " below the axis range";
  }
  return text.empty() ? text : "On the " + edge + " edge: " + text + ". ";
}

// The kernels that the figure omits, and those that it can only place on an edge.
std::string what_is_missing(const figure::PlaneFigure& figure, const analysis::RunAnalysis& run,
                            const std::string& not_known) {
  const std::vector<bool> none(run.rows.size(), false);
  std::vector<bool> absent(run.rows.size(), true);
  std::vector<bool> no_x = none, no_y = none, little_x = none, little_y = none;
  const std::optional<MemoryLevel> level = figure::first_level(figure);
  for (const figure::PlanePoint& p : figure.points) {
    absent[p.row] = false;
    if (level && p.level != level) continue;
    no_x[p.row] = !(p.x > 0);
    no_y[p.row] = !(p.y > 0);
    little_x[p.row] = p.x > 0 && p.x < figure.x.floor;
    little_y[p.row] = p.y > 0 && p.y < figure.y.floor;
  }
  const std::string at = level ? " at " + std::string(info(*level).label) : std::string();
  std::string text = on_edge(run, "left", "FLOPs", no_x, little_x) +
                     on_edge(run, "lower", "bytes" + at, no_y, little_y);
  if (std::ranges::count(absent, true) > 0) {
    text += "Not drawn: " + kernels_of(run, absent) + ' ' + not_known + ". ";
  }
  if (run.rows.size() > kMaxPageRows) {
    text += "The interactive figure shows the " + std::to_string(kMaxPageRows) +
            " kernels with the most time. ";
  }
  return text;
}

std::string describe_plane(const figure::PlaneFigure& figure, const std::string& title) {
  const std::optional<MemoryLevel> level = figure::first_level(figure);
  std::string text = title + ", logarithmic axes: " + figure::axis_title(figure.x, level) +
                     " (x), " + figure::axis_title(figure.y, level) + " (y). ";
  std::string lines;
  for (const figure::PlaneLine& line : figure.lines) {
    if (line.kind == figure::LineKind::iso || line.label.empty()) continue;
    if (line.kind != figure::LineKind::ceiling && !figure::holds_at(line.level, level)) continue;
    if (!lines.empty()) lines += ", ";
    lines += line.label;
  }
  if (!lines.empty()) text += "Lines: " + lines + ". ";
  if (!figure.points.empty()) {
    const figure::PlanePoint& most =
        *std::ranges::max_element(figure.points, {}, &figure::PlanePoint::share);
    text += "The kernel with the most time, " + truncate_middle(one_line(most.label), 60) +
            ", is at " +
            (is_rate(figure, {most.x, most.y}) ? format_si(most.y, "B/s") + " without known FLOPs. "
                                               : format_si(most.x, figure.x.unit) + " and " +
                                                     format_si(most.y, figure.y.unit) + ". ");
  }
  return text + "The tables below list the same values.";
}

}  // namespace

PlaneText roofline_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis* run) {
  PlaneText text{"Roofline", "", describe_plane(figure, "Roofline")};
  const bool marked = std::ranges::any_of(
      figure.points, [](const figure::PlanePoint& p) { return p.saving_s > 0; });
  if (run == nullptr) {
    text.caption = "Measured ceilings of this machine. ";
  } else if (figure.points.empty()) {
    text.caption =
        "No kernel of this run has known bytes, so there are no marks. Annotate the "
        "program's ranges with their FLOPs and bytes to see its kernels here. ";
  } else {
    text.caption =
        "Each mark is a kernel signature; its area is its share of the time. The attainable "
        "performance is straight above the mark: on the slope of its memory tier or the line of "
        "its number format, whichever is lower. A kernel without known FLOPs is on the left edge, "
        "at its bandwidth: the slope of its tier is the bandwidth that the tier reaches. " +
        (marked ? std::string("Rings mark the kernels with the largest potential savings. ") : "") +
        what_is_missing(figure, *run, "that are memcpys or memsets, or have no known bytes");
  }
  return text;
}

PlaneText time_plane_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis& run) {
  const std::string title = "Time plane";
  return {
      title,
      "Filled mark: compute time F / P and bandwidth time B / BW of one launch at the ceilings. "
      "Open mark: both scaled to the measured launch time T. The line between the marks is the "
      "potential saving. All points of a dashed right angle have the same launch time. " +
          what_is_missing(figure, run, "with unknown FLOPs and bytes"),
      describe_plane(figure, title)};
}

PlaneText complexity_plane_text(const figure::PlaneFigure& figure,
                                const analysis::RunAnalysis& run) {
  const std::string title = "Complexity plane";
  return {title,
          "FLOPs and bytes of one launch of each kernel, independent of its speed. To the right of "
          "the solid diagonal of its number format a kernel is compute-bound, to the left "
          "bandwidth-bound. Work inside a shaded box takes less time than the launch overhead. All "
          "points of a dashed diagonal have the same arithmetic intensity. " +
              what_is_missing(figure, run, "with unknown FLOPs and bytes"),
          describe_plane(figure, title)};
}

}  // namespace mansard::reports
