// SPDX-License-Identifier: Apache-2.0
// The timeline's selected interval, pinned view, undo and search. Times are ns.
#include <QToolButton>

#include "gui/models/launch_matches.h"
#include "reports/figure/shown_step.h"
#include "tests/gui/timeline_view_fixture.h"

namespace mansard::gui {
namespace {

TEST_F(TimelineViewTest, SelectsAnInterval) {
  const figure::TimeSpan everything = scene().window();
  for (const auto& [button, modifiers] :
       {std::pair{Qt::LeftButton, Qt::KeyboardModifiers(Qt::ShiftModifier)},
        std::pair{Qt::RightButton, Qt::KeyboardModifiers()}}) {
    const QPoint from = on_stream(700'000);
    const QPoint to = on_stream(200'000);
    const figure::TimeSpan marked{scale().invert(to.x()), scale().invert(from.x())};
    const QColor before = picture().pixelColor(on_stream(450'000));
    drag(from, to, button, modifiers);
    EXPECT_EQ(selection.filter().window, marked);
    EXPECT_EQ(view.selected_interval(), marked);
    EXPECT_EQ(scene().window(), everything) << "the view stays";
    EXPECT_NE(picture().pixelColor(on_stream(450'000)), before) << "the interval is shaded";
    QTest::keyClick(&view, Qt::Key_Z);
    EXPECT_NEAR(static_cast<double>(scene().window().start_ns - marked.start_ns), 0, 2);
    EXPECT_NEAR(static_cast<double>(scene().window().end_ns - marked.end_ns), 0, 2);
    view.show_everything();
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_EQ(selection.filter().window, std::nullopt);
  }
  // On the axis a drag selects, too; Enter selects what is visible.
  const int y = static_cast<int>(scene().plot().top) - 4;
  drag({on_stream(200'000).x(), y}, {on_stream(300'000).x(), y});
  EXPECT_TRUE(selection.filter().window);
  view.show_window({100'000, 300'000});
  QTest::keyClick(&view, Qt::Key_Return);
  EXPECT_EQ(selection.filter().window, (figure::TimeSpan{100'000, 300'000}));
}

// 0 to 400 us: my_gemm from 100 to 300 us on stream 0 and from 150 to 350 us on stream 9, and a
// memcpy from 310 to 390 us. The device is busy from 100 to 390 us.
TEST_F(TimelineViewTest, StatesFactsOfTheSelectedInterval) {
  EXPECT_TRUE(view.interval()->isHidden());
  selection.set_window(figure::TimeSpan{0, 400'000});
  EXPECT_FALSE(view.interval()->isHidden());
  const QString text = view.interval()->text();
  for (const char* part : {"400 \u00b5s selected", "busy 290 \u00b5s (72.5 %)",
                           "3 kernels, memcpys and memsets start", "my_gemm 400 \u00b5s"}) {
    EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << " in " << text.toStdString();
  }
  // The bar takes its height from the rows, and covers none of them.
  EXPECT_LE(scene().plot().bottom, view.interval()->geometry().top() + 1);
  for (QToolButton* button : view.interval()->findChildren<QToolButton*>()) button->click();
  EXPECT_EQ(scene().window(), (figure::TimeSpan{0, 400'000})) << "Zoom to selection";
  EXPECT_TRUE(view.interval()->isHidden()) << "Clear";
  EXPECT_EQ(selection.filter().window, std::nullopt);
}

TEST_F(TimelineViewTest, AMoveFiltersOnlyIfTheViewIsPinned) {
  view.show_window({100'000, 300'000});
  EXPECT_TRUE(settles({100'000, 300'000}));
  EXPECT_EQ(selection.filter().window, std::nullopt);
  selection.set_pinned(true);
  EXPECT_EQ(selection.filter().window, (figure::TimeSpan{100'000, 300'000}));
  EXPECT_EQ(view.selected_interval(), std::nullopt) << "not shaded: all of the view counts";
  view.show_window({400'000, 500'000});
  EXPECT_TRUE(tells(figure::TimeSpan{400'000, 500'000}));
  selection.set_pinned(false);
  EXPECT_EQ(selection.filter().window, std::nullopt);
  // A selected interval replaces the pinned view.
  selection.set_pinned(true);
  selection.set_window(figure::TimeSpan{410'000, 420'000});
  EXPECT_FALSE(selection.state().pinned);
  view.show_window({0, 100'000});
  EXPECT_TRUE(settles({0, 100'000}));
  EXPECT_EQ(selection.filter().window, (figure::TimeSpan{410'000, 420'000}));
}

TEST_F(TimelineViewTest, UndoRestoresTheVisibleTime) {
  view.show_window({100'000, 300'000});
  ASSERT_TRUE(settles({100'000, 300'000}));
  selection.select(0);
  view.show_window({400'000, 500'000});
  ASSERT_TRUE(settles({400'000, 500'000}));
  selection.undo();
  EXPECT_EQ(scene().window(), (figure::TimeSpan{100'000, 300'000}));
  selection.redo();
  EXPECT_EQ(scene().window(), (figure::TimeSpan{400'000, 500'000}));
}

// The first move starts from the step with which the timeline opened, not from the whole profile.
TEST_F(TimelineViewTest, UndoOfTheFirstMoveReturnsToTheOpenedStep) {
  test::ProfileBuilder builder = testing::timed_profile();
  builder.profile().file = "another.sqlite";
  run = testing::prepared(builder);
  selection.set_run(run);
  view.set_run(run);
  const figure::TimeSpan opened = scene().window();
  ASSERT_EQ(opened, figure::shown_step(run->timeline, run->steps).window);
  EXPECT_FALSE(selection.can_undo());
  QTest::keyClick(&view, Qt::Key_W);
  QTest::keyClick(&view, Qt::Key_D);
  EXPECT_NE(scene().window(), opened);
  selection.undo();
  EXPECT_EQ(scene().window(), opened);
  EXPECT_FALSE(selection.can_undo());
}

TEST_F(TimelineViewTest, AnotherFilterDoesNotInterruptAMove) {
  view.show_window({100'000, 300'000});
  selection.set_words(QStringLiteral("gemm"));
  EXPECT_EQ(scene().window(), (figure::TimeSpan{100'000, 300'000}));
  EXPECT_TRUE(settles({100'000, 300'000}));
}

TEST_F(TimelineViewTest, StepsThroughTheMatchesOfTheFilter) {
  view.step_match(1);
  EXPECT_EQ(selection.selected_launch(), std::nullopt) << "without a filter there is no match";
  EXPECT_FALSE(match_position(selection));
  selection.set_words(QStringLiteral("gemm"));
  ASSERT_TRUE(match_position(selection));
  EXPECT_EQ(match_position(selection)->number, 0u);
  EXPECT_EQ(match_position(selection)->count, 3u);
  std::vector<std::int64_t> starts;
  std::vector<std::size_t> numbers;
  for (const int step : {1, 1, 1, 1, -1}) {
    view.step_match(step);
    ASSERT_TRUE(selection.selected_launch());
    starts.push_back(run->launches.start_ns[*selection.selected_launch()]);
    numbers.push_back(match_position(selection)->number);
  }
  EXPECT_EQ(starts, (std::vector<std::int64_t>{100'000, 150'000, 500'000, 100'000, 500'000}))
      << "wraps around";
  EXPECT_EQ(numbers, (std::vector<std::size_t>{1, 2, 3, 1, 3}));
  // Without a selected kernel, N and Shift+N do the same.
  selection.select(std::nullopt);
  QTest::keyClick(&view, Qt::Key_N);
  EXPECT_EQ(match_position(selection)->number, 1u);
  selection.select(std::nullopt);
  QTest::keyClick(&view, Qt::Key_N, Qt::ShiftModifier);
  EXPECT_EQ(match_position(selection)->number, 3u);
}

}  // namespace
}  // namespace mansard::gui
