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

// Marks and lines need decimals for zoom factors of several hundred.
constexpr int kFine = 3;
constexpr double kInLine_px = 0.15;

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
      return "m";
    case ShapeKind::text:
      return "t";
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
      return "k";
    case To::line:
      return "l";
    case To::region:
      return "r";
    case To::axis:
      return "a";
    default:
      return "";
  }
}

std::string link_key(const figure::Link& link) {
  const std::string_view to = thing(link.to);
  if (to.empty()) return {};
  std::string key = std::string(to) + std::to_string(link.index);
  return link.part == 0 ? key : key + '.' + std::to_string(link.part);
}

class DrawingWriter {
 public:
  explicit DrawingWriter(const figure::Drawing& drawing) : drawing_(drawing) {}

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
  // Marks also set `color`, so that the script can outline them.
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
                 layer.y_follows_x ? 2
                 : layer.y_moves   ? 1
                                   : 0,
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
                        (r.major ? 1 : 0) + (r.labeled ? 2 : 0)});
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
    if (shape.kind == ShapeKind::text) return add_text(shape, n);
    if (shape.kind == ShapeKind::mark) return add_mark(shape, n);
    Json json = {kind};
    if (shape.kind == ShapeKind::axis) {
      json.push_back(shape.item);
    } else if (shape.kind == ShapeKind::clip || shape.kind == ShapeKind::unclip) {
      texts_at_.clear();
    } else {
      json = {kind, style(shape.style, shape.kind), link_key(shape.link), shape.layer};
    }
    for (const float number : n) json.push_back(rounded(number, kFine));
    shapes_.push_back(std::move(json));
  }

  static bool starts_with(const Json& shape, const Json& head) {
    return shape.size() >= head.size() &&
           std::equal(head.begin(), head.end(), shape.begin(),
                      shape.begin() + static_cast<std::ptrdiff_t>(head.size()));
  }

  // Consecutive equal marks of a link become one entry with several positions.
  void add_mark(const Shape& shape, std::span<const float> n) {
    const Json head = {"m", style(shape.style, shape.kind), link_key(shape.link), shape.item,
                       rounded(n[2], 2)};
    if (shapes_.empty() || !starts_with(shapes_.back(), head)) shapes_.push_back(head);
    Json& json = shapes_.back();
    json.insert(json.end(), {shape.layer, rounded(n[0], kFine), rounded(n[1], kFine)});
  }

  // Equal texts on one line become one entry with several positions per layer.
  void add_text(const Shape& shape, std::span<const float> n) {
    const Json head = {"t",
                       style(shape.style, shape.kind),
                       link_key(shape.link),
                       text(drawing_.text_of(shape)),
                       rounded(n[2], 1),
                       rounded(n[3], 5),
                       rounded(n[4], 0),
                       rounded(n[5], 0),
                       rounded(n.size() > 6 ? n[6] : 0.F, 1)};
    const double c = std::cos(n[3]);
    const double s = std::sin(n[3]);
    Json* json = nullptr;
    double along = 0;
    for (const std::size_t at : texts_at_[head.dump()]) {
      const double dx = n[0] - shapes_[at][head.size()].get<double>();
      const double dy = n[1] - shapes_[at][head.size() + 1].get<double>();
      if (std::fabs(dx * s - dy * c) > kInLine_px) continue;
      json = &shapes_[at];
      along = dx * c + dy * s;
      break;
    }
    if (json == nullptr) {
      texts_at_[head.dump()].push_back(shapes_.size());
      shapes_.push_back(head);
      json = &shapes_.back();
      json->insert(json->end(), {rounded(n[0], 1), rounded(n[1], 1)});
    }
    if (!json->back().is_array() || json->back()[0] != shape.layer) {
      json->push_back(Json::array({shape.layer}));
    }
    json->back().push_back(rounded(along, 1));
  }

  const figure::Drawing& drawing_;
  std::map<std::string, std::size_t> style_ids_;
  std::map<std::string, std::size_t> text_ids_;
  std::map<std::string, std::vector<std::size_t>>
      texts_at_;  // index into shapes_ by text and style
  Json styles_ = Json::array();
  Json texts_ = Json::array();
  Json shapes_ = Json::array();
};

}  // namespace

Json drawing_json(const figure::Drawing& drawing) { return DrawingWriter(drawing).write(); }

}  // namespace mansard::reports
