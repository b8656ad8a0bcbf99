// SPDX-License-Identifier: Apache-2.0
#include "reports/web/plane_section.h"

#include <nlohmann/json.hpp>

#include "reports/figure/plane_layout.h"
#include "reports/figure/svg_writer.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string_view to_string(figure::LineKind kind) {
  switch (kind) {
    case figure::LineKind::ceiling:
      return "ceiling";
    case figure::LineKind::boundary:
      return "boundary";
    case figure::LineKind::iso:
      return "iso";
  }
  return {};
}

std::string_view to_string(figure::LabelPlace place) {
  switch (place) {
    case figure::LabelPlace::margin:
      return "margin";
    case figure::LabelPlace::near_start:
      return "start";
    case figure::LabelPlace::near_end:
      return "end";
  }
  return {};
}

std::string_view to_string(figure::Corner corner) {
  switch (corner) {
    case figure::Corner::top_left:
      return "top left";
    case figure::Corner::bottom_left:
      return "bottom left";
    case figure::Corner::bottom_right:
      return "bottom right";
  }
  return {};
}

std::string_view to_string(figure::TickLabels ticks) {
  switch (ticks) {
    case figure::TickLabels::si:
      return "si";
    case figure::TickLabels::number:
      return "number";
    case figure::TickLabels::seconds:
      return "seconds";
  }
  return {};
}

Json level_json(const std::optional<MemoryLevel>& level) {
  return level ? Json(info(*level).key) : Json(nullptr);
}

Json axis_json(const figure::PlaneAxis& axis) {
  return {{"label", axis.label},       {"unit", axis.unit},
          {"key", axis.key},           {"ideal_key", axis.ideal_key},
          {"of_level", axis.of_level}, {"ticks", to_string(axis.ticks)},
          {"min", axis.min},           {"max", axis.max},
          {"floor", axis.floor}};
}

Json line_json(const figure::PlaneLine& line) {
  const bool coloured = line.kind == figure::LineKind::ceiling && line.level;
  return {{"id", valid_utf8(line.id)},
          {"label", valid_utf8(line.label)},
          {"name", valid_utf8(line.name)},
          {"kind", to_string(line.kind)},
          {"place", to_string(line.label_place)},
          {"style", coloured ? Json(colour_style(figure::tier_ink(*line.level))) : Json(nullptr)},
          {"level", level_json(line.level)},
          {"value", line.value},
          {"x0", line.x0},
          {"y0", line.y0},
          {"x1", line.x1},
          {"y1", line.y1},
          {"open", {line.open_start, line.open_end}}};
}

Json region_json(const figure::PlaneRegion& region) {
  return {{"id", valid_utf8(region.id)},
          {"label", region.label},
          {"corner", to_string(region.corner)},
          {"x1", region.x1},
          {"y1", region.y1},
          {"level", level_json(region.level)}};
}

Json point_json(const figure::PlanePoint& point) {
  Json json = {
      {"row", point.row}, {"level", level_json(point.level)}, {"x", point.x}, {"y", point.y}};
  if (point.ideal) json["ideal"] = {point.ideal->x, point.ideal->y};
  return json;
}

std::string data_json(const figure::PlaneFigure& figure, const PlaneText& text) {
  Json json = {{"view", figure.id},
               {"title", text.title},
               {"x", axis_json(figure.x)},
               {"y", axis_json(figure.y)},
               {"launch", {figure.launch_x, figure.launch_y}},
               {"first_level", level_json(figure::first_level(figure))}};
  for (const char* list : {"lines", "regions", "levels", "points"}) json[list] = Json::array();
  for (const figure::PlaneLine& line : figure.lines) json["lines"].push_back(line_json(line));
  for (const figure::PlaneRegion& region : figure.regions)
    json["regions"].push_back(region_json(region));
  for (const MemoryLevel level : figure.levels) {
    json["levels"].push_back({{"key", info(level).key}, {"label", info(level).label}});
  }
  json["level_names"] = Json::object();
  for (const figure::PlanePoint& point : figure.points) {
    if (point.row >= kMaxPageRows) continue;
    json["points"].push_back(point_json(point));
    if (point.level)
      json["level_names"][std::string(info(*point.level).key)] = info(*point.level).label;
  }
  return json.dump();
}

std::string tooltip(const figure::PlaneFigure& figure, const figure::PlanePoint& point) {
  const auto amount = [](double value, const figure::PlaneAxis& axis) {
    return value > 0 ? format_si(value, axis.unit) : "no known " + axis.unit;
  };
  return truncate_middle(one_line(point.label), 80) + ": " + amount(point.y, figure.y) + ", " +
         amount(point.x, figure.x) + ", " + format_percent(point.share) + " of the time";
}

figure::Drawing drawing(const figure::PlaneFigure& figure, double width_px, double height_px,
                        bool short_names) {
  const figure::PlaneLayout layout =
      figure::lay_out_plane(figure, width_px, height_px, short_names, figure::page_text_size);
  figure::Drawing out = draw_plane(figure, layout, figure::page_text_size);
  for (const figure::Mark& mark : layout.marks) {
    const figure::PlanePoint& point = figure.points[mark.point];
    for (const std::uint32_t ideal : {0U, 1U}) {
      if (ideal == 1 && !point.ideal) continue;
      out.set_title({figure::Link::To::kernel, static_cast<std::uint32_t>(point.row), ideal},
                    tooltip(figure, point));
    }
  }
  return out;
}

}  // namespace

Section plane_section(const SectionContext& context, const figure::PlaneFigure& figure,
                      const PlaneText& text) {
  Section section;
  section.title = text.title;
  section.figures.push_back({drawing(figure, kWideFigure_px, 520, false),
                             drawing(figure, kNarrowFigure_px, 420, true), "", text.description});
  section.html = "<figure class=\"plane-view\" data-for=\"" + context.id +
                 "\">\n<div class=\"plot\" data-label=\"" + escape_html(text.description) +
                 "\">\n" + html_svg(section.figures.back()) + "</div>\n<figcaption>" +
                 escape_html(text.caption) +
                 "<span class=\"hints\"></span></figcaption>\n</figure>\n";
  section.data_json = data_json(figure, text);
  return section;
}

}  // namespace mansard::reports
