// SPDX-License-Identifier: Apache-2.0
#include "gui/views/drawing_painter.h"

#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <algorithm>

#include <gtest/gtest.h>

#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr figure::Ink kInk{{200, 0, 0}, {255, 90, 90}};

QImage picture_of(const figure::Drawing& drawing, figure::Theme theme = figure::Theme::light) {
  QImage image(static_cast<int>(drawing.width()), static_cast<int>(drawing.height()),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  paint(painter, drawing, theme);
  return image;
}

TEST(DrawingPainter, TakesTheColorOfTheTheme) {
  figure::Drawing drawing(20, 20);
  drawing.rect({5, 5, 15, 15}, drawing.style(figure::filled(kInk)));
  for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
    EXPECT_EQ(picture_of(drawing, theme).pixelColor(10, 10), to_qcolor(kInk.in(theme)));
  }
  EXPECT_EQ(picture_of(drawing).pixelColor(2, 2), QColor(Qt::white));
}

TEST(DrawingPainter, ClipsUntilTheClipEnds) {
  figure::Drawing drawing(40, 20);
  const figure::StyleId style = drawing.style(figure::filled(kInk));
  drawing.clip({0, 0, 10, 20});
  drawing.rect({0, 0, 20, 20}, style);
  drawing.unclip();
  drawing.rect({30, 0, 40, 20}, style);
  const QImage picture = picture_of(drawing);
  EXPECT_EQ(picture.pixelColor(5, 10), to_qcolor(kInk.light));
  EXPECT_EQ(picture.pixelColor(15, 10), QColor(Qt::white));
  EXPECT_EQ(picture.pixelColor(35, 10), to_qcolor(kInk.light));
}

TEST(DrawingPainter, CrispLinesHaveTheirColorAnywhere) {
  figure::Drawing drawing(20, 20);
  figure::Style line = figure::stroked(kInk);
  line.crisp = true;
  drawing.line({10.3, 0}, {10.3, 20}, drawing.style(line));
  const QImage picture = picture_of(drawing);
  int full = 0;
  int other = 0;
  for (int x = 0; x < 20; ++x) {
    const QColor color = picture.pixelColor(x, 10);
    full += color == to_qcolor(kInk.light) ? 1 : 0;
    other += color != QColor(Qt::white) ? 1 : 0;
  }
  EXPECT_EQ(full, 1);
  EXPECT_EQ(other, 1);
}

TEST(DrawingPainter, PaintsTextsAtTheirMeasuredPosition) {
  const figure::MeasureText measure = measure_in(QGuiApplication::font());
  figure::Drawing drawing(200, 60);
  const figure::PlacedText placed =
      figure::place_text("HBM 4.05 TB/s", figure::TextAnchor::end, 180, 30, measure);
  drawing.text(placed, drawing.style(figure::filled(kInk)));
  const QImage picture = picture_of(drawing);
  int left = 200;
  int right = 0;
  int top = 60;
  int bottom = 0;
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 200; ++x) {
      if (picture.pixelColor(x, y) == QColor(Qt::white)) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  EXPECT_NEAR(left, placed.box.left, 3);
  EXPECT_NEAR(right, placed.box.right, 3);
  EXPECT_GE(top, placed.box.top - 1);
  EXPECT_LE(bottom, placed.box.bottom + 1);
}

TEST(DrawingPainter, DrawsRastersInTheColorsOfDensity) {
  figure::Drawing drawing(30, 10);
  const figure::Raster raster{3, 1, {0, 1, 255}, 255};
  drawing.raster({0, 0, 30, 10}, std::make_shared<figure::Raster>(raster));
  const QImage picture = picture_of(drawing);
  EXPECT_EQ(picture.pixelColor(5, 5), QColor(Qt::white));
  EXPECT_EQ(picture.pixelColor(15, 5), to_qcolor(figure::density_color(0, figure::Theme::light)));
  EXPECT_EQ(picture.pixelColor(25, 5), to_qcolor(figure::density_color(1, figure::Theme::light)));
}

// Many marks are copied from sprites; at the middle of a pixel the two differ by rounding only.
TEST(DrawingPainter, SpritesLookLikeTheirMarks) {
  figure::Style style = figure::filled(kInk);
  style.stroke = figure::Ink{{0, 0, 0}, {0, 0, 0}};
  const auto draw = [&](int marks) {
    figure::Drawing drawing(40, 40);
    const figure::StyleId id = drawing.style(style);
    // The others are outside the picture.
    for (int i = 1; i < marks; ++i) {
      drawing.mark(figure::MarkShape::hexagon, {-100, -100}, 8, id);
    }
    drawing.mark(figure::MarkShape::hexagon, {20.5, 20.5}, 8, id);
    return picture_of(drawing);
  };
  const QImage path = draw(1);
  const QImage sprite = draw(2000);
  EXPECT_EQ(sprite.pixelColor(20, 20), to_qcolor(kInk.light));
  int different = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      const QColor a = path.pixelColor(x, y);
      const QColor b = sprite.pixelColor(x, y);
      different += std::abs(a.red() - b.red()) > 3 ? 1 : 0;
    }
  }
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace mansard::gui
