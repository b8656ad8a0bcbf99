// SPDX-License-Identifier: Apache-2.0
#include "reports/web/roofline_view.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "kernels/vocabulary/units.h"
#include "reports/formats/text.h"
#include "reports/web/page_limits.h"
#include "reports/web/roofline_svg.h"
#include "reports/web/theme.h"

namespace mansard {
namespace {

using Json = nlohmann::ordered_json;

std::vector<MemoryLevel> levels_with_points(const RooflineFigure& figure) {
  std::vector<MemoryLevel> levels;
  for (const MemoryLevelInfo& i : kMemoryLevels) {
    if (std::ranges::find(figure.points, i.id, &FigurePoint::level) != figure.points.end()) {
      levels.push_back(i.id);
    }
  }
  return levels;
}

std::string_view short_name(const RoofLine& line) {
  return line.diagonal ? info(*line.level).label : info(*line.precision).label;
}

Json line_json(const RoofLine& line) {
  return {{"id", valid_utf8(line.id)},
          {"label", valid_utf8(line.label)},
          {"name", short_name(line)},
          {"style", line.diagonal ? Json(colour_style(level_colour(*line.level))) : Json(nullptr)},
          {"diagonal", line.diagonal},
          {"level", line.level ? Json(info(*line.level).key) : Json(nullptr)},
          {"value", line.value},
          {"x0", line.x0},
          {"y0", line.y0},
          {"x1", line.x1},
          {"y1", line.y1}};
}

std::string data_json(const RooflineFigure& figure) {
  Json json = {{"view", "roofline"},
               {"x", {figure.x_min, figure.x_max}},
               {"y", {figure.y_min, figure.y_max}},
               {"first_level", info(first_level(figure)).key}};
  json["lines"] = Json::array();
  for (const RoofLine& line : figure.lines) json["lines"].push_back(line_json(line));
  json["levels"] = Json::array();
  for (const MemoryLevel level : levels_with_points(figure)) {
    json["levels"].push_back({{"key", info(level).key}, {"label", info(level).label}});
  }
  json["points"] = Json::array();
  for (const FigurePoint& p : figure.points) {
    if (p.row >= kMaxPageRows) continue;
    json["points"].push_back(
        {{"row", p.row}, {"level", info(p.level).key}, {"x", p.x}, {"y", p.y}});
  }
  return json.dump();
}

// Under the figure: which kernels are not in it, and why.
std::string caption(const RooflineFigure& figure, const RunAnalysis* run) {
  std::string text;
  if (!run) {
    text = "Ceilings of the machine. ";
  } else if (figure.points.empty()) {
    text =
        "No kernel of this run has known FLOPs and bytes, so there are no points. Annotate "
        "ranges of the program with its work to see them here. ";
  } else {
    text = "One mark a kernel signature; its area is its share of the time. ";
    if (figure.rows_without_points > 0) {
      double share = 0;
      std::vector<bool> drawn(run->rows.size(), false);
      for (const FigurePoint& p : figure.points) drawn[p.row] = true;
      for (std::size_t i = 0; i < run->rows.size(); ++i) share += drawn[i] ? 0 : run->rows[i].share;
      const bool one = figure.rows_without_points == 1;
      text += std::to_string(figure.rows_without_points) + (one ? " kernel" : " kernels") + " (" +
              format_percent(share) + " of the time) without known FLOPs or bytes " +
              (one ? "is" : "are") + " not drawn. ";
    }
  }
  if (run && run->rows.size() > kMaxPageRows) {
    text += "The interactive figure has the " + std::to_string(kMaxPageRows) +
            " kernels of most time. ";
  }
  return text;
}

}  // namespace

MemoryLevel first_level(const RooflineFigure& figure) {
  const std::vector<MemoryLevel> levels = levels_with_points(figure);
  for (const MemoryLevel wanted : {MemoryLevel::hbm, MemoryLevel::dram}) {
    if (std::ranges::find(levels, wanted) != levels.end()) return wanted;
  }
  return levels.empty() ? MemoryLevel::hbm : levels.front();
}

std::string describe(const RooflineFigure& figure, const RunAnalysis* run) {
  std::string text =
      "Roofline, logarithmic axes: FLOP per byte across, FLOP per second up. Ceilings: ";
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    text += (i > 0 ? ", " : "") + figure.lines[i].label;
  }
  text += ". ";
  if (run && !figure.points.empty()) {
    const FigurePoint& most = *std::ranges::max_element(figure.points, {}, &FigurePoint::share);
    text += "The kernel of most time, " + truncate_middle(one_line(most.label), 60) + ", reaches " +
            format_si(most.y, "FLOP/s") + " at " + format_si(most.x, "FLOP/B") + ". ";
  }
  return text + "The tables below give the same values.";
}

Section roofline_section(const SectionContext& context, const DeviceModel& machine,
                         const RunAnalysis* run) {
  const RooflineFigure figure = layout_roofline(machine, run);
  RooflineFigure short_names = figure;
  for (RoofLine& line : short_names.lines) line.label = short_name(line);
  Section section;
  section.title = "Roofline";
  const std::string description = escape_html(describe(figure, run));
  section.html =
      "<figure class=\"roofline-view\" data-for=\"" + context.id + "\">\n" +
      "<div class=\"plot\" data-label=\"" + description + "\">\n" +
      roofline_svg(figure, {.width = 960, .height = 520, .css_class = "wide"}, description) +
      roofline_svg(short_names, {.width = 360, .height = 420, .css_class = "narrow"}, description) +
      "</div>\n<figcaption>" + escape_html(caption(figure, run)) +
      "<span class=\"hints\"></span></figcaption>\n</figure>\n";
  section.data_json = data_json(figure);
  return section;
}

}  // namespace mansard
