// SPDX-License-Identifier: Apache-2.0
// The view with simulated mouse input, and its pixels at computed positions.
#include "gui/views/roofline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/theme.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

class RooflineViewTest : public ::testing::Test {
 protected:
  RooflineViewTest() {
    apply_theme(*qApp, figure::Theme::light);
    view.resize(1000, 600);
    show(*run);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  void show(const analysis::RunAnalysis& analysis) {
    const auto opened = prepare_run(analysis);
    selection.set_run(opened);
    view.set_run(opened);
  }

  const PlaneScene& scene() const { return view.scene(); }

  QPoint place(std::size_t row, MemoryLevel level = MemoryLevel::hbm) const {
    const figure::PlanePoint* point = scene().point_of(row, level);
    EXPECT_NE(point, nullptr);
    const figure::Point p = scene().position(*point);
    return {static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y))};
  }

  std::size_t row_of(const char* operation_class) const {
    for (std::size_t i = 0; i < run->rows.size(); ++i) {
      if (run->rows[i].operation_class == operation_class) return i;
    }
    ADD_FAILURE() << operation_class;
    return 0;
  }

  void wheel(QPointF at, int notches, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }

  QImage picture() { return view.grab().toImage(); }

  std::shared_ptr<analysis::RunAnalysis> run = testing::training_run();
  SelectionModel selection;
  RooflineView view{&selection};
};

TEST_F(RooflineViewTest, MarksHaveTheirColorAtTheirPosition) {
  view.show_all();
  for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
    apply_theme(*qApp, theme);
    QCoreApplication::processEvents();  // the palette change arrives as an event
    const QImage image = picture();
    for (const char* name : {"gemm", "rht", "norm", "elementwise"}) {
      const QColor expected = to_qcolor(figure::mark_style(name, theme).color);
      EXPECT_EQ(image.pixelColor(place(row_of(name))), expected) << name;
    }
    EXPECT_EQ(image.pixelColor(2, 2), to_qcolor(figure::surface(theme).background));
  }
}

TEST_F(RooflineViewTest, CeilingsHaveTheirColorAlongTheirLine) {
  view.show_all();
  const QImage image = picture();
  int checked = 0;
  for (const figure::PlaneLine& line : scene().figure().lines) {
    if (line.level ? line.level != MemoryLevel::hbm : line.precision != Precision::fp32) continue;
    const QColor expected =
        to_qcolor(line.level ? figure::tier_color(MemoryLevel::hbm, figure::Theme::light)
                             : figure::surface(figure::Theme::light).compute);
    // At 3/4 of its visible part, where there are no labels or marks.
    const double x = line.x0 * std::pow(line.x1 / line.x0, line.level ? 0.62 : 0.9);
    const double y = line.level ? x * line.value : line.value;
    const int px = static_cast<int>(scene().x().map(x));
    const int py = static_cast<int>(scene().y().map(y));
    // Antialiasing blends the line's edges; its middle has the color itself.
    int nearest = 999;
    for (int dy = -1; dy <= 1; ++dy) {
      const QColor c = image.pixelColor(px, py + dy);
      nearest = std::min(nearest, std::abs(c.red() - expected.red()) +
                                      std::abs(c.green() - expected.green()) +
                                      std::abs(c.blue() - expected.blue()));
    }
    EXPECT_LE(nearest, 30) << line.id;
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

TEST_F(RooflineViewTest, ClickSelectsAndClearsTheSelection) {
  const std::size_t row = row_of("rht");
  QTest::mouseClick(&view, Qt::LeftButton, {}, place(row));
  EXPECT_EQ(selection.selected(), row);
  const figure::Rect& plot = scene().plot();
  QTest::mouseClick(&view, Qt::LeftButton, {},
                    {static_cast<int>(plot.right) - 5, static_cast<int>(plot.bottom) - 5});
  EXPECT_EQ(selection.selected(), std::nullopt);
}

TEST_F(RooflineViewTest, SelectionChangesThePicture) {
  const std::size_t row = row_of("rht");
  const QImage before = picture();
  selection.select(row);
  const QImage after = picture();
  const double radius = figure::mark_radius(scene().point_of(row, MemoryLevel::hbm)->share) + 4;
  const QPoint on_ring = place(row) - QPoint(static_cast<int>(std::lround(radius)), 0);
  EXPECT_NE(before.pixelColor(on_ring), after.pixelColor(on_ring));
}

TEST_F(RooflineViewTest, HoverShowsTheFacts) {
  const std::size_t row = row_of("norm");
  QTest::mouseMove(&view, place(row));
  EXPECT_TRUE(QTest::qWaitFor([&] { return selection.hovered() == row; }, 2000));
  EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("rmsnorm_fwd_kernel")));
  EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("bound by HBM")));
  QTest::mouseMove(&view, QPoint(static_cast<int>(scene().plot().left) + 5,
                                 static_cast<int>(scene().plot().top) + 5));
  EXPECT_TRUE(QTest::qWaitFor([&] { return selection.hovered() == std::nullopt; }, 2000));
}

TEST_F(RooflineViewTest, TooltipsEscapeNames) {
  run->rows[0].short_name = "k<a&b>";
  show(*run);
  for (const figure::Mark& mark : scene().layout().marks) {
    if (scene().figure().points[mark.point].row != 0) continue;
    EXPECT_TRUE(view.tooltip(mark).contains(QStringLiteral("k&lt;a&amp;b&gt;")));
  }
}

TEST_F(RooflineViewTest, WheelZoomsAtTheCursor) {
  const QPointF at(400, 250);
  const figure::LogScale x = scene().x();
  const figure::LogScale y = scene().y();
  wheel(at, 2);
  EXPECT_NEAR(scene().x().invert(at.x()) / x.invert(at.x()), 1, 1e-9);
  EXPECT_NEAR(scene().y().invert(at.y()) / y.invert(at.y()), 1, 1e-9);
  EXPECT_NEAR(scene().x().decades(), x.decades() / (1.25 * 1.25), 1e-9);
  EXPECT_NEAR(scene().y().decades(), y.decades() / (1.25 * 1.25), 1e-9);
}

TEST_F(RooflineViewTest, ModifiersZoomOneAxis) {
  const figure::LogScale x = scene().x();
  const figure::LogScale y = scene().y();
  wheel({400, 250}, 1, Qt::ShiftModifier);
  EXPECT_LT(scene().x().decades(), x.decades());
  EXPECT_NEAR(scene().y().decades(), y.decades(), 1e-12);
  const figure::LogScale closer_x = scene().x();
  wheel({400, 250}, 1, Qt::ControlModifier);
  EXPECT_LT(scene().y().decades(), y.decades());
  EXPECT_NEAR(scene().x().decades(), closer_x.decades(), 1e-12);
  // Some systems report a horizontal wheel while Alt or Shift is held, but not without a modifier.
  const figure::LogScale closer_y = scene().y();
  const auto sideways = [this](Qt::KeyboardModifiers modifiers) {
    QWheelEvent event({400, 250}, view.mapToGlobal(QPointF(400, 250)), {}, {120, 0}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  };
  sideways({});
  EXPECT_NEAR(scene().y().decades(), closer_y.decades(), 1e-12);
  sideways(Qt::AltModifier);
  EXPECT_LT(scene().y().decades(), closer_y.decades());
  EXPECT_NEAR(scene().x().decades(), closer_x.decades(), 1e-12);
}

TEST_F(RooflineViewTest, DragPansAndDoesNotSelect) {
  const std::size_t row = row_of("rht");
  const QPoint from = place(row);
  QTest::mousePress(&view, Qt::LeftButton, {}, from);
  QTest::mouseMove(&view, from + QPoint(60, 30));
  QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint(60, 30));
  EXPECT_EQ(place(row), from + QPoint(60, 30));
  EXPECT_EQ(selection.selected(), std::nullopt);
}

TEST_F(RooflineViewTest, CeilingsExtendWhilePanning) {
  for (const QPointF shift : {QPointF(-4000, 0), QPointF(0, 0), QPointF(2500, -2500)}) {
    QTest::keyClick(&view, Qt::Key_0);
    for (int i = 0; i < 20; ++i) wheel({400, 250}, -1);
    const figure::Rect& plot = scene().plot();
    QTest::mousePress(&view, Qt::LeftButton, {}, {400, 250});
    QTest::mouseMove(&view, QPoint(400, 250) + shift.toPoint());
    QTest::mouseRelease(&view, Qt::LeftButton, {}, QPoint(400, 250) + shift.toPoint());
    for (const figure::PlaneLine& line : scene().lines()) {
      if (line.level) {
        EXPECT_LE(scene().x().map(line.x0), plot.left + 1e-6) << line.id;
        EXPECT_NEAR(line.y0 / line.x0 / line.value, 1, 1e-9) << line.id;
      } else {
        EXPECT_GE(scene().x().map(line.x1), plot.right - 1e-6) << line.id;
      }
    }
  }
}

TEST_F(RooflineViewTest, DoubleClickResetsTheZoom) {
  const figure::LogScale x = scene().x();
  wheel({400, 250}, 5);
  QTest::mouseDClick(&view, Qt::LeftButton, {}, {300, 300});
  EXPECT_NEAR(scene().x().min() / x.min(), 1, 1e-9);
  EXPECT_NEAR(scene().x().max() / x.max(), 1, 1e-9);
}

TEST_F(RooflineViewTest, KeysDoWhatTheMouseDoes) {
  const figure::LogScale x = scene().x();
  QTest::keyClick(&view, Qt::Key_Plus);
  EXPECT_NEAR(scene().x().decades(), x.decades() / 1.25, 1e-9);
  QTest::keyClick(&view, Qt::Key_Right);
  EXPECT_GT(scene().x().min(), x.min());
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_NEAR(scene().x().min() / x.min(), 1, 1e-9);
  QTest::keyClick(&view, Qt::Key_N);
  QTest::keyClick(&view, Qt::Key_N);
  EXPECT_EQ(selection.selected(), 1u);
  QTest::keyClick(&view, Qt::Key_P);
  EXPECT_EQ(selection.selected(), 0u);
  QTest::keyClick(&view, Qt::Key_P);
  EXPECT_EQ(selection.selected(), 0u);  // stays at the first
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_EQ(selection.selected(), std::nullopt);
}

TEST_F(RooflineViewTest, TSwitchesTheTierOfThePoints) {
  ASSERT_EQ(scene().level(), MemoryLevel::hbm);
  const std::size_t row = row_of("gemm");
  const double hbm = scene().point_of(row, MemoryLevel::hbm)->x;
  QTest::keyClick(&view, Qt::Key_T);
  ASSERT_NE(scene().level(), MemoryLevel::hbm);
  for (const figure::Mark& mark : scene().layout().marks) {
    const figure::PlanePoint& point = scene().figure().points[mark.point];
    EXPECT_EQ(point.level, scene().level());
    if (point.row != row) continue;
    EXPECT_LT(point.x, hbm);  // tiers closer to the SM transfer more bytes
  }
}

TEST_F(RooflineViewTest, FilteredMarksBecomeOutlines) {
  const std::size_t all = scene().layout().marks.size();
  selection.set_words(QStringLiteral("attention"));
  EXPECT_EQ(scene().layout().marks.size() + scene().layout().filtered_out.size(), all);
  for (const figure::Mark& mark : scene().layout().marks) {
    EXPECT_EQ(scene().figure().points[mark.point].operation_class, "attention");
  }
  EXPECT_FALSE(scene().layout().filtered_out.empty());
}

TEST_F(RooflineViewTest, AClassInTheLegendFilters) {
  for (const figure::ClassKey& entry : scene().layout().legend) {
    if (entry.operation_class != "norm") continue;
    const QPoint at(static_cast<int>(entry.area.left) + 5, static_cast<int>(entry.area.top) + 5);
    QTest::mouseClick(&view, Qt::LeftButton, {}, at);
    EXPECT_EQ(selection.filter().operation_class, QStringLiteral("norm"));
    QTest::mouseClick(&view, Qt::LeftButton, {}, at);
    EXPECT_TRUE(selection.filter().passes_all());
    return;
  }
  FAIL() << "no legend entry for norm";
}

TEST_F(RooflineViewTest, NoLabelCoversAnother) {
  for (const QSize size : {QSize(1000, 600), QSize(640, 400), QSize(1800, 1000)}) {
    view.resize(size);
    selection.select(0);
    std::vector<figure::OrientedBox> boxes;
    for (const figure::LineLabel& label : scene().layout().line_labels) boxes.push_back(label.box);
    for (const figure::NamedBox& label : scene().layout().mark_names) boxes.push_back(label.box);
    for (const figure::TierMark& tier : scene().layout().selection->tiers) {
      if (tier.label) boxes.push_back(*tier.label);
    }
    EXPECT_GE(boxes.size(), scene().figure().lines.size() / 2);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(figure::overlap(boxes[i], boxes[j]));
    }
  }
}

TEST_F(RooflineViewTest, WorksWithoutARunOrMachine) {
  selection.set_run(nullptr);
  view.set_run(nullptr);
  picture();
  auto bare = std::make_shared<analysis::RunAnalysis>();
  show(*bare);
  picture();
  run->machine.reset();
  show(*run);
  picture();
  EXPECT_TRUE(scene().figure().lines.empty());
  EXPECT_FALSE(scene().layout().marks.empty());
  view.resize(30, 20);
  picture();
}

TEST_F(RooflineViewTest, PaintingCostDependsOnPixelsNotRows) {
  constexpr std::size_t kRows = 100000;
  auto large = std::make_shared<analysis::RunAnalysis>();
  large->machine = run->machine;
  for (std::size_t i = 0; i < kRows; ++i) {
    analysis::KernelRow row = run->rows[i % run->rows.size()];
    row.share = 1.0 / kRows;
    row.launch_indices.clear();  // indices of another profile
    const double t = static_cast<double>(i) / kRows;
    large->points.push_back({i, MemoryLevel::hbm, std::pow(10, 3 * t), std::pow(10, 11 + 3 * t)});
    large->rows.push_back(std::move(row));
  }
  show(*large);
  // Cells of 4 px, once for each class in the fixture.
  EXPECT_LT(scene().layout().marks.size(), 20000u);
  QElapsedTimer timer;
  timer.start();
  picture();
  EXPECT_LT(timer.elapsed(), 2000);
}

// A kernel far below all others, with little of the time, is outside of the first view.
TEST_F(RooflineViewTest, ACountOfKernelsOutsideLeadsToAllOfThem) {
  analysis::RunAnalysis with_tiny = *run;
  analysis::KernelRow tiny = run->rows.front();
  tiny.share = 1e-4;
  with_tiny.points.push_back({with_tiny.rows.size(), MemoryLevel::hbm, 1.0, 1e8});
  with_tiny.rows.push_back(tiny);
  show(with_tiny);
  const figure::LogScale first = scene().y();
  EXPECT_GT(first.min(), 1e8);
  ASSERT_FALSE(scene().layout().beyond.empty());
  const figure::NamedBox beyond = scene().layout().beyond.back();
  EXPECT_EQ(beyond.text.substr(0, 3), "↓");

  const QPoint at(static_cast<int>(beyond.box.center.x), static_cast<int>(beyond.box.center.y));
  QTest::mouseClick(&view, Qt::LeftButton, {}, at);
  EXPECT_LT(scene().y().min(), 1e8);
  EXPECT_TRUE(scene().layout().beyond.empty());
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_NEAR(scene().y().min() / first.min(), 1, 1e-9);
  QTest::keyClick(&view, Qt::Key_A);
  EXPECT_LT(scene().y().min(), 1e8);
}

TEST_F(RooflineViewTest, AKernelWithoutFlopsStaysAtItsBandwidthOnTheLeftEdge) {
  analysis::RunAnalysis with_copy = *run;
  analysis::KernelRow copy = run->rows.front();
  copy.operation_class = "transpose";
  copy.work = {};
  copy.work.bytes[MemoryLevel::hbm] = 1e12 * copy.time_s;  // 1 TB/s
  copy.share = 0.4;
  const std::size_t row = with_copy.rows.size();
  with_copy.rows.push_back(copy);
  show(with_copy);
  const auto check = [&] {
    const auto mark = std::ranges::find_if(scene().layout().marks, [&](const figure::Mark& m) {
      return scene().figure().points[m.point].row == row;
    });
    ASSERT_NE(mark, scene().layout().marks.end());
    EXPECT_EQ(mark->center.x, scene().plot().left);
    EXPECT_NEAR(scene().y().invert(mark->center.y) / (1e12 * scene().x().min()), 1, 1e-9);
    EXPECT_TRUE(view.tooltip(*mark).contains(QStringLiteral("1.00 TB/s, no known FLOPs")))
        << view.tooltip(*mark).toStdString();
  };
  check();
  QTest::keyClick(&view, Qt::Key_Left);
  check();
  // A filter keeps it there.
  selection.set_operation_class(QStringLiteral("transpose"));
  check();
}

}  // namespace
}  // namespace mansard::gui
