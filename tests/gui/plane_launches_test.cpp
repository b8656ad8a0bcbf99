// SPDX-License-Identifier: Apache-2.0
// Launches in a plane: density, hit testing, and selection.
#include <QApplication>
#include <QImage>
#include <QTest>
#include <QThreadPool>
#include <QToolTip>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/models/launch_factors.h"
#include "gui/views/plane_view.h"
#include "gui/views/theme.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

constexpr std::int64_t kSlow = 4;  // duration relative to the other launches of its row

class PlaneLaunchesTest : public ::testing::Test {
 protected:
  PlaneLaunchesTest() {
    apply_theme(*qApp, figure::Theme::light);
    auto made = std::make_shared<OpenRun>(*prepare_run(*testing::training_run()));
    row = row_of(made->analysis, "gemm");
    // One launch takes longer, so its position differs from the others.
    for (std::size_t i = 0; i < made->launches.size(); ++i) {
      if (made->launches.row[i] != row) continue;
      slow = i;
      break;
    }
    const std::int64_t duration = made->launches.end_ns[slow] - made->launches.start_ns[slow];
    made->launches.end_ns[slow] = made->launches.start_ns[slow] + kSlow * duration;
    run = made;
    selection.set_run(run);
    view.resize(1000, 600);
    view.set_run(run);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  static std::size_t row_of(const analysis::RunAnalysis& analysis, const char* operation_class) {
    for (std::size_t i = 0; i < analysis.rows.size(); ++i) {
      if (analysis.rows[i].operation_class == operation_class) return i;
    }
    ADD_FAILURE() << operation_class;
    return 0;
  }
  void show(PlaneMarks marks) {
    PlaneOptions options = view.options();
    options.marks = marks;
    view.set_options(options);
  }
  QImage picture() { return view.grab().toImage(); }
  QPoint place_of_slow() const {
    const auto at = view.place_of_launch(slow);
    EXPECT_TRUE(at);
    return {static_cast<int>(at->x), static_cast<int>(at->y)};
  }

  std::shared_ptr<const OpenRun> run;
  std::size_t row = 0;
  std::size_t slow = 0;
  SelectionModel selection;
  PlaneView view{PlaneKind::roofline, &selection};
};

TEST_F(PlaneLaunchesTest, SlowerLaunchIsBelowItsRow) {
  const std::vector<float> factors = launch_factors(*run);
  ASSERT_EQ(factors.size(), run->launches.size());
  EXPECT_NEAR(launch_factor(*run, slow), factors[slow], 1e-6);
  const analysis::KernelRow& kernel = run->analysis.rows[row];
  const double duration_s =
      static_cast<double>(run->launches.end_ns[slow] - run->launches.start_ns[slow]) * 1e-9;
  const double mean_s = kernel.time_s / static_cast<double>(kernel.launches);
  EXPECT_NEAR(factors[slow], std::log10(duration_s / mean_s), 1e-5);

  show(PlaneMarks::launches);
  const auto at = view.place_of_launch(slow);
  ASSERT_TRUE(at);
  const figure::PlanePoint* point = view.scene().point_of(row, view.scene().level());
  EXPECT_NEAR(at->x, view.scene().position(*point).x, 0.01);
  EXPECT_NEAR(at->y, view.scene().y().map(point->y * mean_s / duration_s), 0.05);
  EXPECT_FALSE(std::isfinite(launch_factor(*run, run->launches.size())));
}

TEST_F(PlaneLaunchesTest, PixelHasTheColorOfItsCount) {
  for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
    apply_theme(*qApp, theme);
    QCoreApplication::processEvents();
    show(PlaneMarks::launches);
    const QPoint at = place_of_slow();
    EXPECT_EQ(picture().pixelColor(at), to_qcolor(figure::density_color(0, theme)));
    show(PlaneMarks::kernels);
    EXPECT_NE(picture().pixelColor(at), to_qcolor(figure::density_color(0, theme)));
  }
}

TEST_F(PlaneLaunchesTest, DCyclesThroughTheKindsOfMarks) {
  EXPECT_TRUE(view.scene().shows_kernels());
  EXPECT_FALSE(view.scene().shows_launches());
  QTest::keyClick(&view, Qt::Key_D);
  EXPECT_TRUE(view.scene().layout().marks.empty());
  EXPECT_TRUE(view.scene().shows_launches());
  QTest::keyClick(&view, Qt::Key_D);
  EXPECT_FALSE(view.scene().layout().marks.empty());
  EXPECT_TRUE(view.scene().shows_launches());
  QTest::keyClick(&view, Qt::Key_D);
  EXPECT_FALSE(view.scene().shows_launches());
}

TEST_F(PlaneLaunchesTest, TooltipCountsLaunchesByKernel) {
  show(PlaneMarks::launches);
  const figure::LaunchesNear near = view.launches_at(place_of_slow());
  EXPECT_EQ(near.launches, 1u);
  EXPECT_EQ(near.nearest, slow);
  QTest::mouseMove(&view, place_of_slow());
  EXPECT_TRUE(QTest::qWaitFor([&] { return selection.hovered() == row; }, 2000));
  EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("1 launch here")));

  const figure::PlanePoint* point = view.scene().point_of(row, view.scene().level());
  const figure::Point middle = view.scene().position(*point);
  const figure::LaunchesNear rest = view.launches_at({middle.x, middle.y});
  EXPECT_GE(static_cast<std::int64_t>(rest.launches), run->analysis.rows[row].launches - 1);
  ASSERT_FALSE(rest.rows.empty());
  EXPECT_EQ(rest.rows.front().row, row);
}

TEST_F(PlaneLaunchesTest, ClickSelectsTheNearestLaunch) {
  show(PlaneMarks::launches);
  QTest::mouseClick(&view, Qt::LeftButton, {}, place_of_slow() + QPoint(1, 1));
  EXPECT_EQ(selection.selected_launch(), slow);
  EXPECT_EQ(selection.selected(), row);
  QTest::mouseClick(&view, Qt::LeftButton, {},
                    {static_cast<int>(view.scene().plot().right) - 3,
                     static_cast<int>(view.scene().plot().bottom) - 3});
  EXPECT_EQ(selection.selected(), std::nullopt);
  selection.undo();
  EXPECT_EQ(selection.selected_launch(), slow);
}

TEST_F(PlaneLaunchesTest, SelectedLaunchHasItsOwnMark) {
  const QPoint at = place_of_slow();
  EXPECT_FALSE(view.scene().layout().selection);
  selection.select_launch(slow);
  const auto marked = view.scene().layout().selection->launch;
  ASSERT_TRUE(marked);
  EXPECT_NEAR(marked->x, at.x(), 1);
  EXPECT_NEAR(marked->y, at.y(), 1);
  EXPECT_EQ(picture().pixelColor(at), to_qcolor(figure::surface(figure::Theme::light).accent));
  selection.select(row);
  EXPECT_FALSE(view.scene().layout().selection->launch);
}

TEST_F(PlaneLaunchesTest, CountsOnlyLaunchesThatPassTheFilter) {
  show(PlaneMarks::launches);
  const QPoint at = place_of_slow();
  selection.set_window(figure::TimeSpan{0, run->launches.start_ns[slow]});
  EXPECT_EQ(view.launches_at(at).launches, 0u);
  EXPECT_NE(picture().pixelColor(at), to_qcolor(figure::density_color(0, figure::Theme::light)));
  selection.undo();
  EXPECT_EQ(view.launches_at(at).launches, 1u);
  EXPECT_EQ(picture().pixelColor(at), to_qcolor(figure::density_color(0, figure::Theme::light)));
}

TEST_F(PlaneLaunchesTest, DensityFollowsTheZoom) {
  show(PlaneMarks::launches);
  picture();
  QTest::keyClick(&view, Qt::Key_Plus);
  QTest::keyClick(&view, Qt::Key_Up);
  const QPoint at = place_of_slow();
  EXPECT_EQ(picture().pixelColor(at), to_qcolor(figure::density_color(0, figure::Theme::light)));
  EXPECT_EQ(view.launches_at(at).nearest, slow);
}

// Many launches are ordered in the background; destroying the view meanwhile is safe.
TEST_F(PlaneLaunchesTest, ManyLaunchesAreOrderedInTheBackground) {
  auto many = std::make_shared<OpenRun>(*run);
  LaunchColumns& launches = many->launches;
  // A power of two in total: such counts have their own color.
  for (std::size_t i = 0; i < 32'767; ++i) {
    launches.start_ns.push_back(launches.start_ns[slow]);
    launches.end_ns.push_back(launches.end_ns[slow]);
    launches.row.push_back(launches.row[slow]);
    launches.stream.push_back(launches.stream[slow]);
  }
  selection.set_run(many);
  view.set_run(many);
  show(PlaneMarks::launches);
  const QPoint at = place_of_slow();
  EXPECT_EQ(view.launches_at(at).launches, 0u);
  const QImage before = picture();
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.launches_at(at).launches == 32'768; }, 10'000));
  const QImage after = picture();
  EXPECT_EQ(after.pixelColor(at), to_qcolor(figure::density_color(1, figure::Theme::light)));
  EXPECT_NE(before.pixelColor(at), after.pixelColor(at));
  // Shows a notice meanwhile.
  const figure::Rect& plot = view.scene().plot();
  const QRect words(static_cast<int>((plot.left + plot.right) / 2) - 60,
                    static_cast<int>(plot.bottom) - 40, 120, 35);
  EXPECT_NE(before.copy(words), after.copy(words));

  auto gone = std::make_unique<PlaneView>(PlaneKind::roofline, &selection);
  gone->resize(600, 400);
  gone->set_run(many);
  gone->set_options(view.options());
  EXPECT_EQ(gone->launches_at({300, 200}).launches, 0u);
  gone.reset();
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
}

TEST_F(PlaneLaunchesTest, InTheTimePlaneLaunchesMoveAlongTheDiagonal) {
  PlaneView plane(PlaneKind::time, &selection);
  plane.resize(1000, 600);
  plane.set_run(run);
  PlaneOptions options;
  options.marks = PlaneMarks::launches;
  plane.set_options(options);
  const auto at = plane.place_of_launch(slow);
  ASSERT_TRUE(at);
  const figure::PlanePoint* point = plane.scene().point_of(row, std::nullopt);
  ASSERT_NE(point, nullptr);
  const double factor = std::pow(10.0, launch_factor(*run, slow));
  EXPECT_NEAR(at->x, plane.scene().x().map(point->x * factor), 0.05);
  EXPECT_NEAR(at->y, plane.scene().y().map(point->y * factor), 0.05);
}

TEST_F(PlaneLaunchesTest, ComplexityHasNoDensity) {
  PlaneView plane(PlaneKind::complexity, &selection);
  plane.resize(800, 500);
  plane.set_run(run);
  QTest::keyClick(&plane, Qt::Key_D);
  EXPECT_TRUE(plane.scene().shows_kernels());
  EXPECT_FALSE(plane.scene().shows_launches());
  EXPECT_EQ(plane.launches_at({400, 250}).launches, 0u);
}

}  // namespace
}  // namespace mansard::gui
