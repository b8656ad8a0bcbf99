// SPDX-License-Identifier: Apache-2.0
#include "reports/web/drawing_json.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "reports/figure/svg_writer.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;
using figure::Shape;
using figure::ShapeKind;

// Marks and lines follow a zoom of several hundreds.
constexpr int kFine = 3;

Json rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double out = std::round(value * scale) / scale;
  if (out == std::round(out) && std::fabs(out) < 1e9) return static_cast<std::int64_t>(out);
  return out;
}

std::string_view kind_name(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::rect:
      return "rect";
    case ShapeKind::segments:
      return "lines";
    case ShapeKind::polyline:
      return "path";
    case ShapeKind::polygon:
      return "area";
    case ShapeKind::mark:
      return "mark";
    case ShapeKind::text:
      return "text";
    case ShapeKind::clip:
      return "clip";
    case ShapeKind::unclip:
      return "unclip";
    case ShapeKind::axis:
      return "axis";
    case ShapeKind::raster:  // the page counts launches itself
      break;
  }
  return "";
}

std::string_view thing(figure::Link::To to) {
  using To = figure::Link::To;
  switch (to) {
    case To::kernel:
      return "kernel";
    case To::line:
      return "line";
    case To::region:
      return "region";
    case To::axis:
      return "axis";
    default:
      return "";
  }
}

std::string link_key(const figure::Link& link) {
  const std::string_view to = thing(link.to);
  if (to.empty()) return {};
  std::string key = std::string(to) + ' ' + std::to_string(link.index);
  return link.part == 0 ? key : key + ' ' + std::to_string(link.part);
}

class Writer {
 public:
  explicit Writer(const figure::Drawing& drawing) : drawing_(drawing) {}

  Json write() && {
    Json layers = Json::array();
    for (const figure::Layer& layer : drawing_.layers()) layers.push_back(layer_json(layer));
    for (const Shape& shape : drawing_.shapes()) add(shape);
    Json axes = Json::array();
    for (const figure::ZoomAxis& axis : drawing_.axes()) axes.push_back(axis_json(axis));
    Json titles = Json::object();
    for (const auto& [link, title] : drawing_.titles()) titles[link_key(link)] = valid_utf8(title);
    Json marks = Json::array();
    for (int shape = 0; shape <= static_cast<int>(figure::MarkShape::hexagon); ++shape) {
      marks.push_back(figure::mark_path(static_cast<figure::MarkShape>(shape), 1));
    }
    return {{"width", drawing_.width()},    {"height", drawing_.height()},
            {"styles", std::move(styles_)}, {"layers", std::move(layers)},
            {"texts", std::move(texts_)},   {"marks", std::move(marks)},
            {"titles", std::move(titles)},  {"axes", std::move(axes)},
            {"shapes", std::move(shapes_)}};
  }

 private:
  // A mark also tells its color, for the script to outline it.
  std::size_t style(figure::StyleId id, ShapeKind kind) {
    const figure::Style& style = drawing_.styles()[id];
    std::string css = css_style(style, kind == ShapeKind::text, true);
    if (kind == ShapeKind::mark && style.fill) css += ';' + figure::css_color("color", *style.fill);
    const auto [at, is_new] = style_ids_.try_emplace(css, styles_.size());
    if (is_new) styles_.push_back(css);
    return at->second;
  }

  std::size_t text(const std::string& text) {
    const auto [at, is_new] = text_ids_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(valid_utf8(text));
    return at->second;
  }

  static Json layer_json(const figure::Layer& layer) {
    Json json = {layer.x_moves ? 1 : 0,
                 layer.y_moves ? 1 : 0,
                 layer.when,
                 layer.zoom == figure::Layer::Zoom::x   ? "x"
                 : layer.zoom == figure::Layer::Zoom::y ? "y"
                                                        : "",
                 rounded(layer.from, kFine),
                 rounded(layer.to, kFine)};
    if (layer.starts_px) json.push_back(rounded(*layer.starts_px, kFine));
    return json;
  }

  Json axis_json(const figure::ZoomAxis& axis) {
    Json decades = Json::array();
    for (const figure::DecadeLabel& d : axis.decades) {
      decades.push_back({d.exponent, d.factor, d.suffix});
    }
    Json levels = Json::array();
    for (const figure::TickLevel& level : axis.levels) {
      Json runs = Json::array();
      for (const figure::TickRun& r : level.runs) {
        runs.push_back({rounded(r.first, 4), rounded(r.step, 4), r.count,
                        (r.major ? 1 : 0) + (r.labelled ? 2 : 0)});
      }
      levels.push_back({rounded(level.from_px, 1), level.every, std::move(runs)});
    }
    return {{"vertical", axis.vertical},
            {"one", rounded(axis.one_px, kFine)},
            {"decade", rounded(axis.decade_px, 6)},
            {"span", {axis.from_px, axis.to_px}},
            {"tick", axis.tick_px},
            {"label", axis.label_px},
            {"styles",
             {style(axis.minor, ShapeKind::segments), style(axis.major, ShapeKind::segments),
              style(axis.tick, ShapeKind::segments), style(axis.label, ShapeKind::text)}},
            {"decades", std::move(decades)},
            {"levels", std::move(levels)}};
  }

  void add(const Shape& shape) {
    const std::span<const float> n = drawing_.numbers_of(shape);
    const std::string_view kind = kind_name(shape.kind);
    if (kind.empty()) return;
    Json json = {kind, style(shape.style, shape.kind), shape.layer, link_key(shape.link)};
    switch (shape.kind) {
      case ShapeKind::text:
        return add_text(std::move(json), shape, n);
      case ShapeKind::mark:
        json.insert(json.end(),
                    {shape.item, rounded(n[0], kFine), rounded(n[1], kFine), rounded(n[2], 2)});
        break;
      case ShapeKind::clip:
      case ShapeKind::unclip:
        json[1] = 0;
        [[fallthrough]];
      default:
        if (shape.kind == ShapeKind::axis) json.push_back(shape.item);
        for (const float number : n) json.push_back(rounded(number, kFine));
    }
    shapes_.push_back(std::move(json));
  }

  // Equal texts that follow each other are one with several places.
  void add_text(Json json, const Shape& shape, std::span<const float> n) {
    json.insert(json.end(),
                {text(drawing_.text_of(shape)), rounded(n[2], 1), rounded(n[3], 3),
                 rounded(n[4], 0), rounded(n[5], 0), rounded(n.size() > 6 ? n[6] : 0.F, 1)});
    const std::size_t head = json.size();
    const bool more = !shapes_.empty() && shapes_.back()[0] == "text" &&
                      std::equal(json.begin(), json.end(), shapes_.back().begin(),
                                 shapes_.back().begin() + static_cast<std::ptrdiff_t>(head));
    if (!more) shapes_.push_back(std::move(json));
    shapes_.back().push_back(rounded(n[0], 1));
    shapes_.back().push_back(rounded(n[1], 1));
  }

  const figure::Drawing& drawing_;
  std::map<std::string, std::size_t> style_ids_;
  std::map<std::string, std::size_t> text_ids_;
  Json styles_ = Json::array();
  Json texts_ = Json::array();
  Json shapes_ = Json::array();
};

}  // namespace

Json drawing_json(const figure::Drawing& drawing) { return Writer(drawing).write(); }

}  // namespace mansard::reports
