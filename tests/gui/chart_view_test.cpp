// SPDX-License-Identifier: Apache-2.0
#include "gui/views/chart_view.h"

#include <QApplication>
#include <QFile>
#include <QHelpEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/theme.h"
#include "reports/figure/chart_drawing.h"
#include "reports/figure/part_fill.h"

namespace mansard::gui {

void PrintTo(figure::Theme theme, std::ostream* out) {
  *out << (theme == figure::Theme::light ? "light" : "dark");
}  // in the names of tests

namespace {

// Waterfall: 10 ms, +30 ms, -5 ms, 35 ms.
analysis::Table waterfall() {
  analysis::Table table{"ledger", "Ledger", {}, {}};
  table.columns = {{"cause", "cause", analysis::CellFormat::text, "", ""},
                   {"time_s", "adds", analysis::CellFormat::quantity, "s", ""}};
  table.rows = {{std::string("ideal"), 0.010},
                {std::string("lost"), 0.030},
                {std::string("won"), -0.005},
                {std::string("measured"), 0.035}};
  table.chart = analysis::Chart{
      .kind = analysis::ChartKind::waterfall, .label_keys = {"cause"}, .value_keys = {"time_s"}};
  return table;
}

analysis::Table stacked() {
  analysis::Table table{"steps", "Steps", {}, {}};
  table.columns = {{"step", "step", analysis::CellFormat::text, "", ""},
                   {"a_s", "first", analysis::CellFormat::quantity, "s", ""},
                   {"b_s", "second", analysis::CellFormat::quantity, "s", ""}};
  table.rows = {{std::string("one"), 0.002, 0.001}, {std::string("two"), 0.001, 0.003}};
  table.chart = analysis::Chart{.kind = analysis::ChartKind::stacked_bars,
                                .label_keys = {"step"},
                                .value_keys = {"a_s", "b_s"},
                                .value_kinds = {"kernels", "idle"}};
  return table;
}

// Queries the height like a scroll area: in an event filter, before the view handles its resize
// event.
class HeightOnResize : public QObject {
 public:
  explicit HeightOnResize(ChartView* view) : view_(view) { view->installEventFilter(this); }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Resize) height_px = view_->heightForWidth(view_->width());
    return false;
  }
  int height_px = 0;

 private:
  ChartView* view_;
};

class ChartViewTest : public ::testing::TestWithParam<figure::Theme> {
 protected:
  ChartViewTest() { apply_theme(*qApp, GetParam()); }
  ~ChartViewTest() override { apply_theme(*qApp, figure::Theme::light); }

  void show(const analysis::Table& table) {
    view.set_table(table);
    view.resize(700, view.heightForWidth(700));
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  // The color of the bar near its left end.
  QColor probe(const figure::Rect& bar) {
    return view.grab().toImage().pixelColor(static_cast<int>(std::lround(bar.left + 3)),
                                            static_cast<int>(std::lround(bar.top + 3)));
  }
  // The linked rectangles that have a fill, in drawing order.
  std::vector<figure::Rect> bars() {
    std::vector<figure::Rect> areas;
    const figure::Drawing& drawing = view.drawing();
    for (const figure::Shape& shape : drawing.shapes()) {
      if (shape.kind != figure::ShapeKind::rect || !shape.link) continue;
      if (!drawing.style_of(shape).fill) continue;
      const auto n = drawing.numbers_of(shape);
      areas.push_back({n[0], n[1], n[2], n[3]});
    }
    return areas;
  }
  QPoint middle(std::size_t row) {
    const figure::Rect value = area_of(view.drawing(), figure::bar_link(row)).value();
    return {view.width() / 2, static_cast<int>((value.top + value.bottom) / 2)};
  }
  QString tooltip(QPoint at) {
    QHelpEvent event(QEvent::ToolTip, at, view.mapToGlobal(at));
    QApplication::sendEvent(&view, &event);
    return QToolTip::text();
  }

  ChartView view;
};

// Returning the height for the old width made a scroll area toggle its scroll bar forever.
TEST_P(ChartViewTest, ReportsTheHeightForItsNewWidthDuringAResize) {
  analysis::Table table = waterfall();
  for (auto& row : table.rows) row[0] = "a long name " + std::get<std::string>(row[0]);
  show(table);
  const int wide_px = view.heightForWidth(700);
  const int narrow_px = view.heightForWidth(200);
  ASSERT_GT(narrow_px, wide_px) << "names are above the bars";
  HeightOnResize asked(&view);
  view.resize(200, 300);
  EXPECT_EQ(asked.height_px, narrow_px);
  view.resize(700, 300);
  EXPECT_EQ(asked.height_px, wide_px);
}

TEST_P(ChartViewTest, DrawsAWaterfallAtItsLayout) {
  show(waterfall());
  const figure::Surface& colors = figure::surface(GetParam());
  const auto all = bars();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(probe(all[0]), to_qcolor(colors.compute));
  EXPECT_EQ(probe(all[1]), to_qcolor(colors.loss));
  EXPECT_EQ(probe(all[2]), to_qcolor(colors.gain));
  EXPECT_EQ(probe(all[3]), to_qcolor(colors.compute));
  EXPECT_NEAR(all[1].width(), 3 * all[0].width(), 0.01) << "30 ms and 10 ms";
}

TEST_P(ChartViewTest, DrawsPartsInTheirFills) {
  show(stacked());
  const figure::Fill fill = figure::part_fill(view.data().series[0], 0);
  const auto parts = bars();
  EXPECT_EQ(probe(parts[0]), to_qcolor(fill.color.in(GetParam())));
  // The waiting part is hollow: background color inside its outline, between the hatch lines.
  const figure::Rect& waiting = parts[1];
  const QImage picture = view.grab().toImage();
  int grounds = 0;
  for (int x = static_cast<int>(waiting.left) + 3; x < waiting.right - 3; ++x) {
    grounds += picture.pixelColor(x, static_cast<int>(waiting.top) + 3) ==
                       to_qcolor(figure::surface(GetParam()).background)
                   ? 1
                   : 0;
  }
  EXPECT_GT(grounds, 5);
}

TEST_P(ChartViewTest, TooltipsShowEveryBarAndPart) {
  show(waterfall());
  EXPECT_EQ(tooltip(middle(1)), QStringLiteral("lost: +30.0 ms"));
  tooltip({view.width() / 2, view.height() - 2});  // hides after a moment
  EXPECT_TRUE(QTest::qWaitFor([] { return QToolTip::text().isEmpty(); }, 3000));
  show(stacked());
  const figure::Rect part = bars()[1];
  const QPoint in_part(static_cast<int>(part.left + part.width() / 2),
                       static_cast<int>(part.top + 5));
  EXPECT_EQ(tooltip(in_part), QStringLiteral("one, second: 1.00 ms (33.3 %)"));
}

TEST_P(ChartViewTest, MarksTheRowUnderTheCursorAndReportsClicks) {
  show(waterfall());
  QSignalSpy clicks(&view, &ChartView::row_clicked);
  QTest::mouseMove(&view, {5, view.height() - 2});
  QCoreApplication::processEvents();
  const QImage before = view.grab().toImage();
  QTest::mouseMove(&view, middle(2));
  QCoreApplication::processEvents();
  EXPECT_NE(view.grab().toImage(), before);
  QTest::mouseClick(&view, Qt::LeftButton, {}, middle(2));
  ASSERT_EQ(clicks.count(), 1);
  EXPECT_EQ(clicks[0][0].value<std::size_t>(), 2u);
  QTest::mouseClick(&view, Qt::LeftButton, {}, {5, view.height() - 2});
  EXPECT_EQ(clicks.count(), 1);
}

TEST_P(ChartViewTest, WorksWithoutAMouse) {
  show(waterfall());
  QSignalSpy clicks(&view, &ChartView::row_clicked);
  QTest::keyClick(&view, Qt::Key_Return);
  EXPECT_EQ(clicks.count(), 0);
  for (int i = 0; i < 6; ++i) QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Return);
  QTest::keyClick(&view, Qt::Key_Up);
  QTest::keyClick(&view, Qt::Key_Return);
  ASSERT_EQ(clicks.count(), 2);
  EXPECT_EQ(clicks[0][0].value<std::size_t>(), 3u);
  EXPECT_EQ(clicks[1][0].value<std::size_t>(), 2u);
  EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("+30.0 ms")));
}

TEST_P(ChartViewTest, HeightFitsTheBarsAtAnyWidth) {
  show(waterfall());
  for (const int width : {300, 560, 900}) {
    const int height = view.heightForWidth(width);
    view.resize(width, height);
    EXPECT_LE(std::abs(view.drawing().height() - height), 1) << width;
    EXPECT_DOUBLE_EQ(view.drawing().width(), width);
  }
}

TEST_P(ChartViewTest, PaintsIntoAFile) {
  show(stacked());
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("chart.svg"));
  QSvgGenerator svg;
  svg.setFileName(file);
  svg.setSize({800, 400});
  {
    QPainter painter(&svg);
    view.paint_figure(painter, 800);
  }
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  EXPECT_TRUE(written.readAll().contains("3.00 ms"));
}

TEST_P(ChartViewTest, ShowsNothingWithoutAChart) {
  show(waterfall());
  analysis::Table table = waterfall();
  table.chart.reset();
  view.set_table(table);
  EXPECT_FALSE(view.has_chart());
  EXPECT_TRUE(view.isHidden());
  QPixmap picture(10, 10);
  QPainter painter(&picture);
  view.paint_figure(painter, 800);
  EXPECT_EQ(view.heightForWidth(500), 0);
}

INSTANTIATE_TEST_SUITE_P(Themes, ChartViewTest,
                         ::testing::Values(figure::Theme::light, figure::Theme::dark),
                         [](const auto& theme) {
                           return theme.param == figure::Theme::light ? "Light" : "Dark";
                         });

}  // namespace
}  // namespace mansard::gui
