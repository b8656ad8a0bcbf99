// SPDX-License-Identifier: Apache-2.0
// Draws a figure's display list with QPainter.
#pragma once

#include <QFont>
#include <QPainterPath>
#include <QStaticText>
#include <optional>
#include <string>
#include <unordered_map>

#include "reports/figure/drawing.h"

class QPainter;

namespace mansard::gui {

// Cache of text sizes and glyphs in one font, kept between frames: a timeline may show a thousand
// texts.
class TextLayouts {
 public:
  bool set_font(const QFont& font);  // true: the font changed and the cache was cleared
  figure::TextSize size(std::string_view text);
  const QStaticText& glyphs(const std::string& text);

 private:
  struct Layout {
    std::optional<figure::TextSize> size;
    std::optional<QStaticText> glyphs;
  };
  Layout& of(std::string text);

  QFont font_;
  std::unordered_map<std::string, Layout> layouts_;
};

// Measures texts as paint() draws them in this font.
figure::MeasureText measure_in(const QFont& font);

// Draws at the painter's origin, in the painter's font, which must be the font that the drawing was
// laid out for. The caller paints the background. `texts`, if given, must use this font.
void paint(QPainter& painter, const figure::Drawing& drawing, figure::Theme theme,
           TextLayouts* texts = nullptr);

QPainterPath mark_path(figure::MarkShape shape, QPointF center, double radius);

}  // namespace mansard::gui
