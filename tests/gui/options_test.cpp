// SPDX-License-Identifier: Apache-2.0
#include "gui/options.h"

#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPolygonF>
#include <QTemporaryDir>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/mark_shapes.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

ParsedOptions parse(const char* text) {
  return parse_options(QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

TEST(Options, AreRead) {
  const ParsedOptions p = parse(
      "a.sqlite --machine m.json b.sqlite --machine n.json --size 800x600 --theme dark --select 3");
  ASSERT_FALSE(p.exit_code) << p.error.toStdString();
  EXPECT_EQ(p.options.files, (QStringList{"a.sqlite", "b.sqlite"}));
  EXPECT_EQ(p.options.machines, (QStringList{"m.json", "n.json"}));
  EXPECT_EQ(p.options.size, QSize(800, 600));
  EXPECT_EQ(p.options.theme, figure::Theme::dark);
  EXPECT_EQ(p.options.select, 3);
}

TEST(Options, BadUsageExitsWithTwoAndNamesTheValue) {
  for (const char* text : {"--size 800", "--size 0x600", "--theme blue", "--select none",
                           "--select 0", "--no-such-option", "--machine"}) {
    const ParsedOptions p = parse(text);
    EXPECT_EQ(p.exit_code, 2) << text;
    EXPECT_FALSE(p.error.isEmpty()) << text;
    EXPECT_TRUE(p.output.isEmpty()) << text;
  }
  EXPECT_TRUE(parse("--theme blue").error.contains(QStringLiteral("blue")));
}

TEST(Options, HelpAndVersionGoToStdout) {
  EXPECT_EQ(parse("--version").exit_code, 0);
  EXPECT_TRUE(parse("--version").output.contains(QStringLiteral(MANSARD_VERSION)));
  EXPECT_EQ(parse("--help").exit_code, 0);
  EXPECT_TRUE(parse("--help").output.contains(QStringLiteral("--screenshot")));
}

TEST(Options, AScreenshotOverwritesOnlyByForce) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("x.png"));
  QFile existing(file);
  ASSERT_TRUE(existing.open(QIODevice::WriteOnly));
  const QString run = QStringLiteral("run.sqlite");
  const ParsedOptions refused = parse_options({run, QStringLiteral("--screenshot"), file});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.error.contains(QStringLiteral("-f")));
  EXPECT_FALSE(
      parse_options({run, QStringLiteral("--screenshot"), file, QStringLiteral("-f")}).exit_code);
  EXPECT_EQ(parse_options({QStringLiteral("--screenshot"), file, QStringLiteral("-f")}).exit_code,
            2)
      << "a picture of nothing";
}

TEST(Theme, FollowsThePalette) {
  EXPECT_EQ(theme_of(QPalette(QColor(240, 240, 240))), figure::Theme::light);
  EXPECT_EQ(theme_of(QPalette(QColor(30, 30, 30))), figure::Theme::dark);
}

// Shares compare across classes only if shapes of one radius have one area.
TEST(MarkShapes, HaveTheAreaOfTheCircle) {
  for (const figure::MarkShape shape :
       {figure::MarkShape::square, figure::MarkShape::diamond, figure::MarkShape::triangle_up,
        figure::MarkShape::triangle_down, figure::MarkShape::hexagon}) {
    const QPolygonF p = mark_path(shape, {3, -4}, 10).toFillPolygon();
    double twice_area = 0;
    for (qsizetype i = 1; i < p.size(); ++i) {
      twice_area += p[i - 1].x() * p[i].y() - p[i].x() * p[i - 1].y();
    }
    EXPECT_NEAR(std::abs(twice_area) / 2, 314.159, 0.1) << static_cast<int>(shape);
  }
}

TEST(MarkSprites, LookLikeTheMarksTheyStandFor) {
  const figure::MarkStyle style = figure::mark_style("quantize", figure::Theme::light);
  const auto draw = [&](auto&& how) {
    QImage image(40, 40, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    how(painter);
    return image;
  };
  // At the middle of a pixel the two differ by rounding only.
  const QPointF centre(20.5, 20.5);
  const QImage path = draw([&](QPainter& p) { draw_mark(p, style, centre, 8, Qt::white); });
  const QImage sprite =
      draw([&](QPainter& p) { MarkSprites(Qt::white).draw(p, style, centre, 8); });
  EXPECT_EQ(sprite.pixelColor(20, 20), to_qcolor(style.colour));
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
