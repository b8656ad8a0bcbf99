// SPDX-License-Identifier: Apache-2.0
#include "gui/views/drawing_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

// Above this number, marks are copied from sprites at whole pixels, 20 times faster; the half-pixel
// offset is not noticeable then.
constexpr std::size_t kManyMarks = 1000;

QVector<qreal> dashes(figure::LinePattern pattern) {
  switch (pattern) {
    case figure::LinePattern::solid:
      break;
    case figure::LinePattern::dashed:
      return {4, 4};
    case figure::LinePattern::long_dashed:
      return {8, 4};
    case figure::LinePattern::dotted:
      return {1.5, 3};
  }
  return {};
}

// Colors by launch count: small counts have one color each, larger ones one color per 1/8 of a
// doubling.
class DensityColors {
 public:
  DensityColors(std::uint32_t highest, figure::Theme theme) {
    const auto color = [&](std::uint32_t count) {
      return to_qcolor(figure::density_color(figure::density_amount(count, highest), theme)).rgb();
    };
    for (std::uint32_t i = 1; i < std::min(kFew, highest + 1); ++i) few_[i] = color(i);
    for (std::uint32_t i = 0; i < kMany; ++i) {
      const double count = std::exp2(i / static_cast<double>(kSteps));
      many_[i] = color(static_cast<std::uint32_t>(std::min(count, 4e9)));
    }
  }

  QRgb of(std::uint32_t count) const {
    if (count < kFew) return few_[count];
    const unsigned doublings = static_cast<unsigned>(std::bit_width(count)) - 1;
    const unsigned part = (count >> (doublings - 3)) & (kSteps - 1);
    return many_[doublings * kSteps + part];
  }

 private:
  static constexpr std::uint32_t kFew = 1024;
  static constexpr std::uint32_t kSteps = 8;
  static constexpr std::uint32_t kMany = 32 * kSteps;

  QRgb few_[kFew] = {};
  QRgb many_[kMany] = {};
};

// The image of a raster, cached while the raster exists, since an unchanged one is painted
// repeatedly.
const QImage& image_of(const std::shared_ptr<const figure::Raster>& raster, figure::Theme theme) {
  struct Image {
    std::weak_ptr<const figure::Raster> raster;
    figure::Theme theme;
    QImage image;
  };
  static std::vector<Image> images;
  QImage image;
  std::erase_if(images, [&](Image& i) {
    if (!i.raster.expired()) return false;
    image = std::move(i.image);  // its memory is reused
    return true;
  });
  for (const Image& i : images) {
    if (i.raster.lock() == raster && i.theme == theme) return i.image;
  }
  const DensityColors colors(raster->highest, theme);
  const QSize size(static_cast<int>(raster->columns), static_cast<int>(raster->lines));
  if (image.size() != size) image = QImage(size, QImage::Format_ARGB32_Premultiplied);
  const std::uint32_t* count = raster->counts.data();
  for (std::size_t y = 0; y < raster->lines; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
    for (std::size_t x = 0; x < raster->columns; ++x) line[x] = colors.of(*count++);
  }
  images.push_back({raster, theme, std::move(image)});
  return images.back().image;
}

class DrawingPainter {
 public:
  DrawingPainter(QPainter& painter, const figure::Drawing& drawing, figure::Theme theme,
                 TextLayouts* texts)
      : painter_(painter),
        drawing_(drawing),
        theme_(theme),
        texts_(texts),
        background_(to_qcolor(figure::surface(theme).background)),
        metrics_(painter.font()) {
    for (const figure::Style& style : drawing.styles()) prepare(style);
    const auto marks =
        std::ranges::count(drawing.shapes(), figure::ShapeKind::mark, &figure::Shape::kind);
    many_marks_ = static_cast<std::size_t>(marks) > kManyMarks;
  }

  void paint() {
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing);
    for (const figure::Shape& shape : drawing_.shapes()) {
      if (shape.kind == figure::ShapeKind::rect && gather(shape)) continue;
      draw_gathered();
      draw(shape);
    }
    draw_gathered();
    painter_.restore();
  }

 private:
  struct Tools {
    QPen pen;
    QBrush brush;
    bool crisp;
    bool round;
    bool halo;
    bool plain;  // only fills rectangles
  };

  void prepare(const figure::Style& style) {
    Tools tools{QPen(Qt::NoPen), QBrush(Qt::NoBrush), style.crisp,
                style.round,     style.halo,          !style.stroke && !style.round};
    if (style.fill) {
      QColor color = to_qcolor(style.fill->in(theme_));
      color.setAlphaF(style.fill_opacity);
      tools.brush = color;
    }
    if (style.stroke) {
      tools.pen = QPen(to_qcolor(style.stroke->in(theme_)), style.stroke_px, Qt::SolidLine,
                       style.round ? Qt::RoundCap : Qt::FlatCap,
                       style.round ? Qt::RoundJoin : Qt::MiterJoin);
      QVector<qreal> pattern = dashes(style.pattern);
      for (qreal& length : pattern) length /= style.stroke_px;  // Qt uses units of the pen width
      if (!pattern.isEmpty()) tools.pen.setDashPattern(pattern);
    }
    tools_.push_back(std::move(tools));
  }

  // Consecutive rectangles of one style whose edges are at whole pixels are drawn in one call,
  // which is 10 times faster. They look the same with and without antialiasing.
  bool gather(const figure::Shape& shape) {
    if (!tools_[shape.style].plain) return false;
    const float* n = drawing_.numbers().data() + shape.first;
    const int left = static_cast<int>(n[0]);
    const int top = static_cast<int>(n[1]);
    const int right = static_cast<int>(n[2]);
    const int bottom = static_cast<int>(n[3]);
    const auto equal = [](int whole, float number) { return static_cast<float>(whole) == number; };
    if (!equal(left, n[0]) || !equal(top, n[1]) || !equal(right, n[2]) || !equal(bottom, n[3])) {
      return false;
    }
    if (shape.style != gathered_style_) draw_gathered();
    gathered_style_ = shape.style;
    if (right > left && bottom > top) gathered_.push_back({left, top, right - left, bottom - top});
    return true;
  }

  void draw_gathered() {
    if (gathered_.empty()) return;
    const Tools& tools = tools_[gathered_style_];
    if (tools.brush.style() != Qt::NoBrush) {
      painter_.setRenderHint(QPainter::Antialiasing, false);
      painter_.setPen(Qt::NoPen);
      painter_.setBrush(tools.brush);
      painter_.drawRects(gathered_.data(), static_cast<int>(gathered_.size()));
      painter_.setRenderHint(QPainter::Antialiasing);
      now_ = nullptr;
    }
    gathered_.clear();
  }

  void draw(const figure::Shape& shape) {
    const std::span<const float> n = drawing_.numbers_of(shape);
    switch (shape.kind) {
      case figure::ShapeKind::clip:
        painter_.save();
        painter_.setClipRect(QRectF(QPointF(n[0], n[1]), QPointF(n[2], n[3])));
        now_ = nullptr;
        return;
      case figure::ShapeKind::unclip:
        painter_.restore();
        now_ = nullptr;
        return;
      case figure::ShapeKind::raster:
        return raster(drawing_.rasters()[shape.item], n);
      case figure::ShapeKind::text:
        return text(shape, n);
      case figure::ShapeKind::mark:
        if (many_marks_) return sprite(shape, n);
        break;
      default:
        break;
    }
    const Tools& tools = take(shape.style);
    switch (shape.kind) {
      case figure::ShapeKind::rect:
        return rect(tools, QRectF(QPointF(n[0], n[1]), QPointF(n[2], n[3])));
      case figure::ShapeKind::segments:
        for (std::size_t i = 0; i + 3 < n.size(); i += 4) {
          const QPointF a(n[i], n[i + 1]);
          const QPointF b(n[i + 2], n[i + 3]);
          if (a == b) {
            painter_.drawPoint(a);
          } else {
            painter_.drawLine(a, b);
          }
        }
        return;
      case figure::ShapeKind::polyline:
        painter_.drawPolyline(points_of(n));
        return;
      case figure::ShapeKind::polygon:
        painter_.drawPolygon(points_of(n));
        return;
      case figure::ShapeKind::mark:
        painter_.drawPath(
            mark_path(static_cast<figure::MarkShape>(shape.item), {n[0], n[1]}, n[2]));
        return;
      default:
        return;
    }
  }

  const Tools& take(figure::StyleId style) {
    const Tools& tools = tools_[style];
    if (now_ == &tools) return tools;
    if (!now_ || now_->crisp != tools.crisp) {
      painter_.setRenderHint(QPainter::Antialiasing, !tools.crisp);
    }
    painter_.setPen(tools.pen);
    painter_.setBrush(tools.brush);
    now_ = &tools;
    return tools;
  }

  void rect(const Tools& tools, const QRectF& area) {
    if (tools.round) {
      painter_.drawRoundedRect(area, figure::kCornerRadius_px, figure::kCornerRadius_px);
    } else if (tools.pen.style() != Qt::NoPen) {
      painter_.drawRect(area);
    } else if (tools.brush.style() != Qt::NoBrush) {
      painter_.fillRect(area, tools.brush);
    }
  }

  static QPolygonF points_of(std::span<const float> n) {
    QPolygonF points;
    points.reserve(static_cast<qsizetype>(n.size() / 2));
    for (std::size_t i = 0; i + 1 < n.size(); i += 2) points << QPointF(n[i], n[i + 1]);
    return points;
  }

  void text(const figure::Shape& shape, std::span<const float> n) {
    const Tools& tools = tools_[shape.style];
    now_ = nullptr;
    if (texts_ != nullptr && !tools.halo && n[3] == 0) {
      painter_.setPen(tools.brush.color());
      return painter_.drawStaticText(QPointF(n[0] - n[2] * n[4], n[1] - metrics_.height() / 2),
                                     texts_->glyphs(drawing_.text_of(shape)));
    }
    const QString text = to_qstring(drawing_.text_of(shape));
    const double to_middle = (0.5 - n[2]) * n[4];  // from the anchor, along the text
    if (tools.halo || n[3] != 0) {
      const figure::OrientedBox box{
          {n[0] + to_middle * std::cos(n[3]), n[1] + to_middle * std::sin(n[3])}, n[4], n[5], n[3]};
      draw_label(painter_, box, text, tools.brush.color(),
                 tools.halo ? background_ : QColor(Qt::transparent));
    } else {
      painter_.setPen(tools.brush.color());
      painter_.drawText(
          QPointF(n[0] - n[2] * n[4], n[1] + (metrics_.ascent() - metrics_.descent()) / 2), text);
    }
  }

  void raster(const std::shared_ptr<const figure::Raster>& raster, std::span<const float> n) {
    if (raster->counts.empty()) return;
    now_ = nullptr;
    const QImage& image = image_of(raster, theme_);
    const QRectF area(QPointF(n[0], n[1]), QPointF(n[2], n[3]));
    if (area.size() == QSizeF(image.size())) {
      painter_.drawImage(area.topLeft(), image);  // twice as fast as drawing into a rectangle
    } else {
      painter_.drawImage(area, image);
    }
  }

  void sprite(const figure::Shape& shape, std::span<const float> n) {
    const int half_px = static_cast<int>(std::lround(2 * n[2]));
    QImage& sprite = sprites_[{shape.style, shape.item, half_px}];
    if (sprite.isNull()) {
      // Corners of a triangle reach 1.56 times the radius.
      const int reach_px = half_px * 4 / 5 + 2;
      sprite = QImage(2 * reach_px + 1, 2 * reach_px + 1, QImage::Format_ARGB32_Premultiplied);
      sprite.fill(Qt::transparent);
      QPainter on_sprite(&sprite);
      on_sprite.setRenderHint(QPainter::Antialiasing);
      on_sprite.setPen(tools_[shape.style].pen);
      on_sprite.setBrush(tools_[shape.style].brush);
      const double middle = reach_px + 0.5;
      on_sprite.drawPath(
          mark_path(static_cast<figure::MarkShape>(shape.item), {middle, middle}, half_px / 2.0));
    }
    painter_.drawImage(QPoint(static_cast<int>(std::floor(n[0])) - sprite.width() / 2,
                              static_cast<int>(std::floor(n[1])) - sprite.height() / 2),
                       sprite);
  }

  using SpriteKey = std::tuple<figure::StyleId, std::uint32_t, int>;

  QPainter& painter_;
  const figure::Drawing& drawing_;
  figure::Theme theme_;
  TextLayouts* texts_;
  QColor background_;
  QFontMetricsF metrics_;
  std::vector<Tools> tools_;     // index: StyleId
  const Tools* now_ = nullptr;   // tools currently set on the painter; null: others
  std::vector<QRect> gathered_;  // pending rectangles of one style
  figure::StyleId gathered_style_ = 0;
  std::map<SpriteKey, QImage> sprites_;
  bool many_marks_ = false;
};

}  // namespace

QPainterPath mark_path(figure::MarkShape shape, QPointF center, double radius) {
  QPainterPath path;
  const std::vector<figure::Point> corners = figure::mark_outline(shape);
  if (corners.empty()) {
    path.addEllipse(center, radius, radius);
    return path;
  }
  QPolygonF polygon;
  for (const figure::Point& p : corners) polygon << center + radius * to_qpoint(p);
  path.addPolygon(polygon);
  path.closeSubpath();
  return path;
}

bool TextLayouts::set_font(const QFont& font) {
  if (font == font_) return false;
  font_ = font;
  layouts_.clear();
  return true;
}

TextLayouts::Layout& TextLayouts::of(std::string text) {
  constexpr std::size_t kMaxKept = 20'000;
  if (layouts_.size() > kMaxKept) layouts_.clear();
  return layouts_[std::move(text)];
}

figure::TextSize TextLayouts::size(std::string_view text) {
  Layout& layout = of(std::string(text));
  if (!layout.size) layout.size = measure_in(font_)(text);
  return *layout.size;
}

const QStaticText& TextLayouts::glyphs(const std::string& text) {
  const auto found = layouts_.find(text);
  std::optional<QStaticText>& glyphs =
      found == layouts_.end() ? of(text).glyphs : found->second.glyphs;
  if (!glyphs) {
    glyphs.emplace(to_qstring(text));
    glyphs->setTextFormat(Qt::PlainText);
    glyphs->setPerformanceHint(QStaticText::AggressiveCaching);
    glyphs->prepare({}, font_);
  }
  return *glyphs;
}

figure::MeasureText measure_in(const QFont& font) {
  return [metrics = QFontMetricsF(font)](std::string_view text) {
    return figure::TextSize{metrics.horizontalAdvance(to_qstring(text)), metrics.height()};
  };
}

void paint(QPainter& painter, const figure::Drawing& drawing, figure::Theme theme,
           TextLayouts* texts) {
  DrawingPainter(painter, drawing, theme, texts).paint();
}

}  // namespace mansard::gui
