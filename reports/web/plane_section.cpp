// SPDX-License-Identifier: Apache-2.0
#include "reports/web/plane_section.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/figure/plane_layout.h"
#include "reports/figure/plane_zoom.h"
#include "reports/figure/svg_writer.h"
#include "reports/web/drawing_json.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;

Json level_json(const std::optional<MemoryLevel>& level) {
  return level ? Json(info(*level).key) : Json(nullptr);
}

Json axis_json(const figure::PlaneAxis& axis) {
  return {{"label", axis.label},       {"unit", axis.unit},
          {"key", axis.key},           {"ideal_key", axis.ideal_key},
          {"of_level", axis.of_level}, {"min", axis.min},
          {"max", axis.max},           {"first", {axis.first_min, axis.first_max}}};
}

// Points as columns. null repeats the value of the previous point, which is often the same kernel
// at another tier. Tiers are indices into level_names; -1: none.
class PointColumnsJson {
 public:
  void add(const figure::PlanePoint& p) {
    push("row", p.row);
    push("level", p.level ? static_cast<int>(level_of(*p.level)) : -1);
    push("x", p.x);
    push("y", p.y);
    if (!p.ideal) return;
    push("ideal_x", p.ideal->x);
    push("ideal_y", p.ideal->y);
  }
  Json columns() const { return columns_; }
  const Json& level_names() const { return level_names_; }

 private:
  std::size_t level_of(MemoryLevel level) {
    const auto found = std::ranges::find(levels_, level);
    if (found != levels_.end()) return static_cast<std::size_t>(found - levels_.begin());
    levels_.push_back(level);
    level_names_[std::string(info(level).key)] = info(level).label;
    return levels_.size() - 1;
  }
  void push(const std::string& column, Json value) {
    if (last_[column] == value) {
      columns_[column].push_back(nullptr);
    } else {
      columns_[column].push_back(value);
      last_[column] = std::move(value);
    }
  }

  std::vector<MemoryLevel> levels_;
  Json level_names_ = Json::object();
  Json columns_ = Json::object();
  std::map<std::string, Json> last_;
};

// Labels are placed for the widths at which the page shows the plane: on a phone, and at the full
// or half width of the page.
Json drawing_json_of(const figure::PlaneFigure& figure) {
  const bool whole_width = figure.id == "roofline";
  const figure::ZoomablePlane plane = figure::draw_zoomable_plane(
      figure,
      {{"wide", whole_width ? 960.0 : 560.0, whole_width ? 500.0 : 440.0, false},
       {"narrow", 364, 400, true}},
      kMaxPageRows, figure::page_text_size);
  Json json = drawing_json(plane.drawing);
  json["free"] = plane.free;
  for (const figure::ZoomSize& size : plane.sizes) {
    const figure::Rect& p = size.plot;
    // "from": least width of the screen. "heights": range of heights.
    const bool wide = size.key == "wide";
    json["sizes"].push_back({{"key", size.key},
                             {"from", wide ? 560 : 0},
                             {"heights", wide ? Json{440, 560} : Json{400, 400}},
                             {"width", size.width},
                             {"height", size.height},
                             {"plot", {p.left, p.top, p.right, p.bottom}}});
  }
  return json;
}

std::string data_json(const figure::PlaneFigure& figure, const PlaneText& text) {
  Json json = {{"view", figure.id},
               {"title", text.title},
               {"x", axis_json(figure.x)},
               {"y", axis_json(figure.y)},
               {"launch", {figure.launch_x, figure.launch_y}},
               {"first_level", level_json(figure::first_level(figure))}};
  json["levels"] = Json::array();
  for (const MemoryLevel level : figure.levels) {
    json["levels"].push_back({{"key", info(level).key}, {"label", info(level).label}});
  }
  PointColumnsJson points;
  for (const figure::PlanePoint& point : figure.points) {
    if (point.row < kMaxPageRows) points.add(point);
  }
  json["rates"] = figure.rates_at_edge;
  json["level_names"] = points.level_names();
  json["points"] = points.columns();
  json["drawing"] = drawing_json_of(figure);
  return json.dump();
}

std::string tooltip(const figure::PlaneFigure& figure, const figure::PlanePoint& point) {
  const auto amount = [](double value, const figure::PlaneAxis& axis) {
    return value > 0 ? format_si(value, axis.unit) : axis.label + " unknown";
  };
  const std::string at = is_rate(figure, {point.x, point.y})
                             ? format_si(point.y, "B/s") + ", no known FLOPs"
                             : amount(point.y, figure.y) + ", " + amount(point.x, figure.x);
  return truncate_middle(one_line(point.label), 80) + ": " + at + ", " +
         format_percent(point.share) + " of the time";
}

figure::Drawing drawing(const figure::PlaneFigure& figure, double width_px, double height_px,
                        bool short_names) {
  const figure::PlaneLayout layout =
      figure::lay_out_plane(figure, width_px, height_px, short_names, figure::page_text_size);
  figure::Drawing out;
  draw_plane(out, figure, layout, figure::page_text_size);
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

// A kernel has a point per tier.
std::size_t kernels_of(const figure::PlaneFigure& figure) {
  std::set<std::size_t> rows;
  for (const figure::PlanePoint& point : figure.points) rows.insert(point.row);
  return rows.size();
}

// The planes beside the roofline are folded; their static figures have one width only, which halves
// their size.
std::string static_svg(const PageFigure& figure, const std::string& id) {
  if (id == "roofline") return html_svg(figure);
  return figure::to_svg(figure.wide, {.css_class = "wide only", .description = figure.description});
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
                 "\">\n" + static_svg(section.figures.back(), figure.id) + "</div>\n<figcaption>" +
                 escape_html(text.caption) +
                 "<span class=\"hints\"></span></figcaption>\n</figure>\n";
  section.data_json = data_json(figure, text);
  section.summary = format_number_of(static_cast<std::int64_t>(kernels_of(figure)), "kernel");
  return section;
}

}  // namespace mansard::reports
