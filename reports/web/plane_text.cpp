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
// time) with less than the axis shows. "
std::string on_edge(const analysis::RunAnalysis& run, const std::string& edge,
                    const std::string& what, const std::vector<bool>& unknown,
                    const std::vector<bool>& less) {
  std::string text;
  if (std::ranges::count(unknown, true) > 0) {
    text += kernels_of(run, unknown) + " without known " + what;
  }
  if (std::ranges::count(less, true) > 0) {
    if (!text.empty()) text += ", ";
    text += kernels_of(run, less) + " with less than the axis shows";
  }
  return text.empty() ? text : "On the " + edge + " edge: " + text + ". ";
}

// Which kernels the figure lacks, and which it can only put on an edge.
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
    text += "The interactive figure has the " + std::to_string(kMaxPageRows) +
            " kernels of most time. ";
  }
  return text;
}

std::string describe(const figure::PlaneFigure& figure, const std::string& title) {
  const std::optional<MemoryLevel> level = figure::first_level(figure);
  std::string text = title + ", logarithmic axes: " + figure::axis_title(figure.x, level) +
                     " across, " + figure::axis_title(figure.y, level) + " up. ";
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
    text += "The kernel of most time, " + truncate_middle(one_line(most.label), 60) + ", lies at " +
            format_si(most.x, figure.x.unit) + " and " + format_si(most.y, figure.y.unit) + ". ";
  }
  return text + "The tables below give the same values.";
}

}  // namespace

PlaneText roofline_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis* run) {
  PlaneText text{"Roofline", "", describe(figure, "Roofline")};
  if (run == nullptr) {
    text.caption = "Ceilings of the machine. ";
  } else if (figure.points.empty()) {
    text.caption =
        "No kernel of this run has known FLOPs and bytes, so there are no points. Annotate "
        "ranges of the program with its work to see them here. ";
  } else {
    text.caption =
        "One mark a kernel signature; its area is its share of the time. Straight above it, where "
        "it would meet its tier's slope or its number format's line, is the speed it could have. " +
        what_is_missing(figure, *run, "without known FLOPs or bytes");
  }
  return text;
}

PlaneText time_plane_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis& run) {
  const std::string title = "Time plane";
  return {
      title,
      "Filled: the time that the FLOPs and the bytes of one launch take at the ceilings; open: "
      "the time it took, so the line between the two is what is lost. Along a dashed right angle "
      "the time of a launch is the same. " +
          what_is_missing(figure, run, "of which neither FLOPs nor bytes are known"),
      describe(figure, title)};
}

PlaneText complexity_plane_text(const figure::PlaneFigure& figure,
                                const analysis::RunAnalysis& run) {
  const std::string title = "Complexity plane";
  return {
      title,
      "What one launch of each kernel has to do, whatever its speed: right of a number format's "
      "solid diagonal its FLOPs take longer than its bytes, left of it its bytes. Work in a "
      "shaded box takes less time than a launch; along a dashed diagonal the intensity is the "
      "same. " +
          what_is_missing(figure, run, "of which neither FLOPs nor bytes are known"),
      describe(figure, title)};
}

}  // namespace mansard::reports
