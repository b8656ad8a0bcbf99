// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/svg_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "support/text.h"

namespace mansard::figure {
namespace {

// One decimal (finer than device pixels), without a trailing zero.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", std::isfinite(value) ? value : 0.0);
  std::string out = text;
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string trimmed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + std::string(value) + '"';
}

std::string translate(double x, double y) {
  return "translate(" + number(x) + ',' + number(y) + ')';
}

// Path data.
std::string box(double x, double y, double width, double height) {
  width = std::max(0.0, width);
  return 'M' + number(x) + ' ' + number(y) + 'h' + number(width) + 'v' +
         number(std::max(0.0, height)) + 'h' + number(-width) + 'z';
}

std::string line_through(std::span<const float> points) {
  std::string path;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    path += (i == 0 ? 'M' : 'L') + number(points[i]) + ' ' + number(points[i + 1]);
  }
  return path;
}

const char* dashes(LinePattern pattern) {
  switch (pattern) {
    case LinePattern::solid:
      break;
    case LinePattern::dashed:
      return "4 4";
    case LinePattern::long_dashed:
      return "8 4";
    case LinePattern::dotted:
      return "1.5 3";
  }
  return nullptr;
}

Ink background() { return surface_ink(&Surface::background); }

class SvgWriter {
 public:
  SvgWriter(const Drawing& drawing, const SvgOptions& options)
      : drawing_(drawing), options_(options) {}

  std::string write() && {
    open_document();
    const std::vector<Shape>& shapes = drawing_.shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i) last_of_link_[shapes[i].link] = i;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      at_ = i;
      if (titled_ && titled_ != shapes[i].link) close_titled();
      if (!titled_ && starts_titled(i)) open_titled(shapes[i].link);
      add(shapes[i]);
    }
    close_titled();
    close_group();
    return std::move(out_) + "</svg>\n";
  }

 private:
  void open_document() {
    const std::string width = number(drawing_.width());
    const std::string height = number(drawing_.height());
    if (options_.standalone) out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out_ += "<svg";
    if (options_.standalone) {
      out_ += attribute("xmlns", "http://www.w3.org/2000/svg") + attribute("width", width) +
              attribute("height", height) +
              attribute("style",
                        "color-scheme:light dark;font:12px system-ui,-apple-system,'Segoe "
                        "UI',Roboto,'Liberation Sans',sans-serif");
    }
    if (!options_.css_class.empty()) out_ += attribute("class", options_.css_class);
    out_ += attribute("viewBox", "0 0 " + width + ' ' + height) + attribute("role", "img") +
            attribute("aria-label", escape_html(options_.description)) + ">\n";
    if (options_.standalone) {
      out_ += "<rect width=\"100%\" height=\"100%\" style=\"" + css_color("fill", background()) +
              "\"/>\n";
    }
  }

  // Consecutive shapes of one link with several styles are grouped in an element with the title.
  bool starts_titled(std::size_t i) const {
    const std::vector<Shape>& shapes = drawing_.shapes();
    const Shape& shape = shapes[i];
    if (i + 1 == shapes.size() || drawing_.title(shape.link) == nullptr) return false;
    std::size_t end = i;  // of the run of shapes with this link
    bool one_style = true;
    for (; end < shapes.size() && shapes[end].link == shape.link; ++end) {
      one_style = one_style && shapes[end].style == shape.style;
    }
    return !one_style && last_of_link_.at(shape.link) < end;
  }

  void open_titled(Link link) {
    close_group();
    out_ += "<g>" + element_title(link) + '\n';
    titled_ = link;
  }

  void close_titled() {
    if (!titled_) return;
    close_group();
    out_ += "</g>\n";
    titled_.reset();
  }

  // Consecutive shapes of one style share a group; with the same title they also share a path.
  void open_group(const Shape& shape) {
    const bool text = shape.kind == ShapeKind::text;
    if (group_ && group_->style == shape.style && group_is_text_ == text) return;
    close_group();
    group_ = shape;
    group_is_text_ = text;
    out_ += "<g" +
            attribute("style", css_style(drawing_.style_of(shape), text, !options_.standalone)) +
            ">\n";
  }

  void close_group() {
    close_path();
    if (group_) out_ += "</g>\n";
    group_.reset();
  }

  std::string element_title(Link link) const {
    const std::string* title = drawing_.title(link);
    return title == nullptr ? std::string() : "<title>" + escape_html(*title) + "</title>";
  }

  // Only the topmost shape of a link has the title, since it receives the pointer.
  std::string title_of(Link link) const {
    if (titled_ == link || at_ < last_of_link_.at(link)) return {};
    return element_title(link);
  }

  void add_element(const std::string& name, const std::string& attributes,
                   const std::string& title) {
    out_ += '<' + name + attributes + (title.empty() ? "/>\n" : '>' + title + "</" + name + ">\n");
  }

  // Links without a title are not written.
  void extend_path(const std::string& data, Link link) {
    const std::string title = title_of(link);
    if (title != path_title_) close_path();
    path_title_ = title;
    path_ += data;
  }

  void close_path() {
    if (!path_.empty()) add_element("path", attribute("d", path_), path_title_);
    path_.clear();
  }

  void add(const Shape& shape) {
    const std::span<const float> n = drawing_.numbers_of(shape);
    if (shape.kind == ShapeKind::clip) return open_clip(n);
    if (shape.kind == ShapeKind::unclip) {
      close_group();
      out_ += "</svg>\n";
      return;
    }
    if (shape.kind == ShapeKind::raster) return add_raster(*drawing_.rasters()[shape.item], n);
    open_group(shape);
    switch (shape.kind) {
      case ShapeKind::text:
        return add_text(shape, n);
      case ShapeKind::rect:
        return add_rect(shape, n);
      case ShapeKind::mark:
        return add_mark(shape, n);
      case ShapeKind::segments:
        for (std::size_t i = 0; i + 3 < n.size(); i += 4) {
          extend_path(line_through(n.subspan(i, 4)), shape.link);
        }
        return;
      case ShapeKind::polyline:
        return extend_path(line_through(n), shape.link);
      case ShapeKind::polygon:
        return extend_path(line_through(n) + 'z', shape.link);
      default:
        return;
    }
  }

  void add_rect(const Shape& shape, std::span<const float> n) {
    if (!drawing_.style_of(shape).round) {
      return extend_path(box(n[0], n[1], n[2] - n[0], n[3] - n[1]), shape.link);
    }
    close_path();
    add_element("rect",
                attribute("x", number(n[0])) + attribute("y", number(n[1])) +
                    attribute("width", number(std::max(0.F, n[2] - n[0]))) +
                    attribute("height", number(std::max(0.F, n[3] - n[1]))) +
                    attribute("rx", number(kCornerRadius_px)),
                title_of(shape.link));
  }

  // Each mark has its own path: overlapping marks in one path would be filled as one area.
  void add_mark(const Shape& shape, std::span<const float> n) {
    close_path();
    add_element("path",
                attribute("transform", translate(n[0], n[1])) +
                    attribute("d", mark_path(static_cast<MarkShape>(shape.item), n[2])),
                title_of(shape.link));
  }

  void add_text(const Shape& shape, std::span<const float> n) {
    out_ += "<text";
    if (n[2] != 0) out_ += attribute("text-anchor", n[2] == 1 ? "end" : "middle");
    if (n[3] == 0) {
      out_ += attribute("x", number(n[0])) + attribute("y", number(n[1] + kBaseline_px));
    } else {
      const std::string turn = " rotate(" + number(n[3] * 180 / std::numbers::pi) + ')';
      out_ += attribute("y", number(kBaseline_px)) +
              attribute("transform", translate(n[0], n[1]) + turn);
    }
    out_ += '>' + title_of(shape.link) + escape_html(drawing_.text_of(shape)) + "</text>\n";
  }

  // A nested <svg> clips without an id, which would have to be unique in the page. Its view box
  // equals its position, so coordinates do not change.
  void open_clip(std::span<const float> n) {
    close_group();
    const std::string x = number(n[0]);
    const std::string y = number(n[1]);
    const std::string width = number(n[2] - n[0]);
    const std::string height = number(n[3] - n[1]);
    out_ += "<svg" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
            attribute("height", height) +
            attribute("viewBox", x + ' ' + y + ' ' + width + ' ' + height) + ">\n";
  }

  // One path per density step, with one box per run of equal cells.
  void add_raster(const Raster& raster, std::span<const float> n) {
    close_group();
    constexpr int kSteps = 16;
    const double width = (n[2] - n[0]) / static_cast<double>(raster.columns);
    const double height = (n[3] - n[1]) / static_cast<double>(raster.lines);
    std::array<std::string, kSteps> paths;
    const auto step_of = [&](std::uint32_t count) {
      const double amount = density_amount(count, raster.highest);
      return std::min(kSteps - 1, static_cast<int>(amount * kSteps));
    };
    for (std::size_t line = 0; line < raster.lines; ++line) {
      const std::uint32_t* cells = raster.counts.data() + line * raster.columns;
      for (std::size_t at = 0; at < raster.columns;) {
        std::size_t end = at + 1;
        while (end < raster.columns && cells[end] == cells[at]) ++end;
        if (cells[at] > 0) {
          paths[static_cast<std::size_t>(step_of(cells[at]))] +=
              box(n[0] + width * static_cast<double>(at), n[1] + height * static_cast<double>(line),
                  width * static_cast<double>(end - at), height);
        }
        at = end;
      }
    }
    for (int step = 0; step < kSteps; ++step) {
      const std::string& path = paths[static_cast<std::size_t>(step)];
      if (path.empty()) continue;
      const double amount = step / static_cast<double>(kSteps - 1);
      const Ink ink{density_color(amount, Theme::light), density_color(amount, Theme::dark)};
      out_ += "<path" + attribute("style", css_color("fill", ink)) + attribute("d", path) + "/>\n";
    }
  }

  const Drawing& drawing_;
  const SvgOptions& options_;
  std::string out_;
  std::optional<Link> titled_;  // link of the open element with a title
  std::optional<Shape> group_;  // shape whose style the open group has
  bool group_is_text_ = false;
  std::string path_;  // data of the open path in the group
  std::string path_title_;
  std::map<Link, std::size_t> last_of_link_;  // index of the shape
  std::size_t at_ = 0;                        // index of the current shape
};

}  // namespace

std::string to_svg(const Drawing& drawing, const SvgOptions& options) {
  return SvgWriter(drawing, options).write();
}

std::string css_style(const Style& style, bool text, bool in_page) {
  const auto color = [in_page](std::string_view property, const Ink& ink) {
    const auto variable = std::ranges::find_if(
        kSurfaceVariables, [&](const SurfaceVariable& v) { return surface_ink(v.role) == ink; });
    if (!in_page || variable == std::end(kSurfaceVariables)) return css_color(property, ink);
    return std::string(property) + ":var(" + std::string(variable->name) + ')';
  };
  std::string out = style.fill ? color("fill", *style.fill) : "fill:none";
  if (style.fill && style.fill_opacity < 1) out += ";fill-opacity:" + trimmed(style.fill_opacity);
  if (text && style.halo) {
    out +=
        ";paint-order:stroke;stroke-width:4;stroke-linejoin:round;" + color("stroke", background());
  }
  if (!text && style.stroke) {
    out += ';' + color("stroke", *style.stroke);
    if (style.stroke_px != 1) out += ";stroke-width:" + trimmed(style.stroke_px);
    if (const char* pattern = dashes(style.pattern)) {
      out += std::string(";stroke-dasharray:") + pattern;
    }
    if (style.round) out += ";stroke-linecap:round;stroke-linejoin:round";
  }
  // A shape without color still receives pointer events.
  if (!text && !style.fill && !style.stroke) out += ";pointer-events:all";
  if (style.crisp) out += ";shape-rendering:crispEdges";
  return out;
}

std::string css_color(std::string_view property, const Ink& ink) {
  const std::string name = std::string(property) + ':';
  std::string css = name + to_hex(ink.light);
  if (ink.light != ink.dark) {
    css += ';' + name + "light-dark(" + to_hex(ink.light) + ',' + to_hex(ink.dark) + ')';
  }
  return css;
}

std::string mark_path(MarkShape shape, double radius) {
  const std::vector<Point> corners = mark_outline(shape);
  char text[128];
  if (corners.empty()) {
    std::snprintf(text, sizeof text, "M%.3g 0A%.3g %.3g 0 1 1 %.3g 0A%.3g %.3g 0 1 1 %.3g 0Z",
                  -radius, radius, radius, radius, radius, radius, -radius);
    return text;
  }
  std::string path;
  for (const Point& p : corners) {
    std::snprintf(text, sizeof text, "%c%.3g %.3g", path.empty() ? 'M' : 'L', p.x * radius,
                  p.y * radius);
    path += text;
  }
  return path + 'Z';
}

TextSize page_text_size(std::string_view text) {
  constexpr double kCharacter_px = 6.6;
  constexpr double kLine_px = 15;
  return {kCharacter_px * display_width(text), kLine_px};
}

}  // namespace mansard::figure
