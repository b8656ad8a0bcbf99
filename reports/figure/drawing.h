// SPDX-License-Identifier: Apache-2.0
// A figure as a display list: shapes and texts in drawing order, in pixels from the upper left
// corner, each with a link to the object it shows. The SVG writer (svg_writer.h), the GUI
// (gui/views/drawing_painter.h) and the page draw this list. They know nothing about planes, charts
// or timelines.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/palette.h"
#include "reports/figure/raster.h"
#include "reports/figure/text_box.h"
#include "reports/figure/zoom_axis.h"

namespace mansard::figure {

enum class LinePattern : std::uint8_t { solid, dashed, long_dashed, dotted };

inline constexpr double kCornerRadius_px = 3;  // of rectangles with Style::round

struct Style {
  std::optional<Ink> fill = {};
  std::optional<Ink> stroke = {};  // lines and outlines
  float fill_opacity = 1;
  float stroke_px = 1;
  LinePattern pattern = LinePattern::solid;
  bool round = false;  // line ends and corners; a line of length 0 is a dot
  bool crisp = false;  // not antialiased: edges lie on whole pixels of the screen
  bool halo = false;   // texts: outlined in the background's color, readable over lines

  bool operator==(const Style&) const = default;
};

inline Style filled(const Ink& ink, float opacity = 1) {
  return {.fill = ink, .fill_opacity = opacity};
}
inline Style stroked(const Ink& ink, float width_px = 1) {
  return {.stroke = ink, .stroke_px = width_px};
}

// Identifies the object that a shape shows. The drawing function documents the two numbers.
struct Link {
  enum class To : std::uint8_t {
    nothing,
    kernel,
    line,
    region,
    axis,
    operation_class,
    bar,
    bar_part,
    sample,
    sweep_point,
    track,
    slice,
    heading,
    value_line,
  };
  To to = To::nothing;
  std::uint32_t index = 0;
  std::uint32_t part = 0;

  explicit operator bool() const { return to != To::nothing; }
  auto operator<=>(const Link&) const = default;
};

enum class ShapeKind : std::uint8_t {
  rect,      // left, top, right, bottom
  segments,  // x0, y0, x1, y1 per segment
  polyline,  // x, y per point
  polygon,   // x, y per corner, closed
  mark,      // x, y, radius; `item` is the MarkShape
  text,      // x of the anchor, y of the middle, anchor (0 start, 0.5 middle, 1 end), clockwise
             // angle in radians, measured width and height, and `lift` where a text has it (see
             // Drawing::text); `item` indexes Drawing::texts()
  raster,    // left, top, right, bottom; `item` indexes Drawing::rasters()
  clip,      // left, top, right, bottom: following shapes are visible inside only, until unclip
  unclip,
  axis,  // ticks of the axis that `item` indexes in Drawing::axes(): zoomable drawings only
};

using StyleId = std::uint16_t;
using LayerId = std::uint16_t;

// How shapes move with zoom and pan, and when they are drawn. A coordinate that does not move keeps
// its place beside the plot, or its relative position in the plot.
struct Layer {
  enum class Zoom : std::uint8_t { x, y, both };  // both: the smaller factor

  bool x_moves = false;
  bool y_moves = false;
  // With y_moves: y also moves along a line of slope 1 as the left edge of the x axis moves, so
  // that a shape on the left edge stays on such a line.
  bool y_follows_x = false;
  // Keys that must all be on, separated by spaces; "!key": must be off.
  std::string when = {};
  Zoom zoom = Zoom::both;
  double from = 0;  // drawn at zoom factors from here
  double to = 0;    // to below here; 0: no end
  // Drawn while this moving x is left of the plot's right edge.
  std::optional<double> starts_px = {};

  bool operator==(const Layer&) const = default;
};

struct Shape {
  ShapeKind kind = ShapeKind::rect;
  StyleId style = 0;
  LayerId layer = 0;
  Link link;
  std::uint32_t first = 0;  // into Drawing::numbers
  std::uint32_t count = 0;
  std::uint32_t item = 0;
};

class Drawing {
 public:
  Drawing() = default;
  Drawing(double width_px, double height_px) : width_(width_px), height_(height_px) {}

  // Clears the drawing and sets its size, but keeps its memory.
  void clear(double width_px, double height_px);

  // Returns the id of this style, adding it if no equal one exists.
  StyleId style(const Style& style);
  // Sets the layer of the shapes added from now on. Initially this is a layer that never moves.
  void set_layer(const Layer& layer);

  void rect(const Rect& area, StyleId style, Link link = {});
  void line(Point a, Point b, StyleId style, Link link = {});
  void segments(std::span<const Segment> lines, StyleId style, Link link = {});
  void polyline(std::span<const Point> points, StyleId style, Link link = {});
  void polygon(std::span<const Point> points, StyleId style, Link link = {});
  void mark(MarkShape shape, Point center, double radius, StyleId style, Link link = {});
  void text(const PlacedText& placed, StyleId style, Link link = {});
  void text(std::string_view text, const Rect& box, TextAnchor anchor, StyleId style,
            Link link = {});
  // `lift`: distance of the text from its anchor point, towards the text's upper side, that stays
  // constant under zoom.
  void text(const OrientedBox& box, std::string_view text, StyleId style, Link link = {},
            double lift = 0);
  void raster(const Rect& area, std::shared_ptr<const Raster> raster);
  void clip(const Rect& area);
  void unclip();
  void axis(ZoomAxis axis);

  // The tooltip of all shapes with this link.
  void set_title(Link link, std::string title) { titles_[link] = std::move(title); }
  const std::string* title(Link link) const;

  double width() const { return width_; }
  double height() const { return height_; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  const Style& style_of(const Shape& shape) const { return styles_[shape.style]; }
  const std::vector<Style>& styles() const { return styles_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<ZoomAxis>& axes() const { return axes_; }
  const std::map<Link, std::string>& titles() const { return titles_; }
  const std::vector<float>& numbers() const { return numbers_; }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::shared_ptr<const Raster>>& rasters() const { return rasters_; }

  std::span<const float> numbers_of(const Shape& shape) const {
    return std::span(numbers_).subspan(shape.first, shape.count);
  }
  const std::string& text_of(const Shape& shape) const { return texts_[shape.item]; }

 private:
  void add(ShapeKind kind, StyleId style, Link link, std::initializer_list<double> numbers,
           std::uint32_t item = 0);
  void add_points(ShapeKind kind, std::span<const Point> points, StyleId style, Link link);
  std::uint32_t add_text(std::string_view text);

  double width_ = 0;
  double height_ = 0;
  std::vector<Style> styles_;
  std::vector<Layer> layers_ = {{}};
  LayerId layer_ = 0;
  std::vector<ZoomAxis> axes_;
  std::vector<Shape> shapes_;
  std::vector<float> numbers_;
  std::vector<std::string> texts_;
  std::vector<std::shared_ptr<const Raster>> rasters_;
  std::map<Link, std::string> titles_;
};

// The link of the topmost linked shape at the point, else of the nearest one within `slack_px`.
// Shapes without a link and shapes that are clipped away at the point are ignored.
std::optional<Link> link_at(const Drawing& drawing, Point point, double slack_px = 0);

// The bounding box of the topmost shape with this link.
std::optional<Rect> area_of(const Drawing& drawing, Link link);

// The corners of a mark of radius 1 around the origin, clockwise on a screen; empty for the circle.
// Every shape has the area of the circle of its radius, so areas compare across classes.
std::vector<Point> mark_outline(MarkShape shape);

}  // namespace mansard::figure
