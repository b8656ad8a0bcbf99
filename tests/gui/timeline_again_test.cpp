// SPDX-License-Identifier: Apache-2.0
// The timeline during other changes: undo, filters, reloaded runs. Times are ns.
#include <algorithm>

#include "reports/figure/shown_step.h"
#include "tests/gui/timeline_view_fixture.h"

namespace mansard::gui {
namespace {

TEST_F(TimelineViewTest, NAndPSkipFilteredLaunches) {
  ViewFilter filter;
  filter.stream = gui::StreamKey{0, 0, 0};
  selection.set_filter(filter);
  view.show_window({0, 100'000});
  ASSERT_TRUE(settles({0, 100'000}));
  selection.select(row_of_class("gemm"));
  std::vector<std::int64_t> starts;
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(&view, Qt::Key_N);
    starts.push_back(run->launches.start_ns[selection.selected_launch().value()]);
  }
  EXPECT_EQ(starts, (std::vector<std::int64_t>{100'000, 500'000, 500'000}))
      << "no launches of stream 9";
}

TEST_F(TimelineViewTest, KeysWithControlGoToTheWindow) {
  selection.select(row_of_class("gemm"));
  for (const Qt::Key key : {Qt::Key_S, Qt::Key_N, Qt::Key_Plus, Qt::Key_Escape}) {
    QTest::keyClick(&view, key, Qt::ControlModifier);
    EXPECT_TRUE(scene().shows_everything()) << key;
    EXPECT_EQ(selection.selected_launch(), std::nullopt) << key;
    EXPECT_EQ(selection.selected(), row_of_class("gemm")) << key;
  }
  QTest::keyClick(&view, Qt::Key_Plus, Qt::ShiftModifier);  // many keyboards need Shift for '+'
  EXPECT_FALSE(scene().shows_everything());
}

TEST_F(TimelineViewTest, UndoRevertsAPendingMove) {
  selection.select(row_of_class("gemm"));
  view.show_window({100'000, 300'000});
  selection.undo();
  EXPECT_TRUE(scene().shows_everything());
  EXPECT_EQ(selection.selected(), row_of_class("gemm")) << "the previous step";
  EXPECT_TRUE(selection.can_redo());
  QTest::qWait(2 * TimelineView::kSettle_ms);
  EXPECT_TRUE(selection.can_redo()) << "no new step afterwards";
  selection.redo();
  EXPECT_EQ(scene().window(), (figure::TimeSpan{100'000, 300'000}));
}

TEST_F(TimelineViewTest, OpensOnATypicalStepAndFiltersNothing) {
  const figure::TimeSpan step = figure::shown_step(run->timeline, run->steps).window;
  ASSERT_NE(step, run->timeline.span);
  selection.set_run(run);
  TimelineView opened(&selection);
  opened.resize(1200, 500);
  opened.set_run(run);
  EXPECT_EQ(opened.scene().window(), step);
  QTest::qWait(2 * TimelineView::kSettle_ms);
  EXPECT_EQ(selection.filter().window, std::nullopt);
  opened.show_everything();
  opened.set_run(run);  // the same profile again keeps what the user chose
  EXPECT_TRUE(opened.scene().shows_everything());
}

TEST_F(TimelineViewTest, MenuOfAReplacedRunDoesNothing) {
  QMenu menu;
  view.fill_menu(menu, on_stream(160'000, 9));
  test::ProfileBuilder builder;
  builder.kernel(1000, 1010, "alone");
  open(testing::prepared(builder));
  for (QAction* action : menu.actions()) action->trigger();
  EXPECT_FALSE(scene().hides_any());
  EXPECT_TRUE(scene().shows_everything());
  EXPECT_EQ(selection.filter(), ViewFilter());
}

TEST_F(TimelineViewTest, ReloadKeepsTheArrangement) {
  const auto recorded = [](int more) {
    test::ProfileBuilder builder = testing::timed_profile();
    builder.profile().file = "growing.sqlite";
    // A stream that sorts before the others, so that row indices change.
    for (int i = 0; i < more; ++i) {
      builder.launch(960'000, 970'000 + 1000 * i, 970'500 + 1000 * i, "late").stream_id = 3;
    }
    return testing::prepared(builder);
  };
  open(recorded(0));
  QMenu menu;
  view.fill_menu(menu, on_stream(160'000, 9));
  entry(menu, QStringLiteral("Hide this row"))->trigger();
  view.resize(1200, 150);
  QTest::keyClick(&view, Qt::Key_Down);
  const double scrolled_px = scene().scroll_px();
  ASSERT_GT(scrolled_px, 0);
  view.show_window({100'000, 300'000});
  run = recorded(5);
  selection.set_run(run, selection.state());
  view.set_run(run);
  view.set_baseline(nullptr);
  EXPECT_EQ(scene().scroll_px(), scrolled_px);
  EXPECT_EQ(scene().window(), (figure::TimeSpan{100'000, 300'000})) << "a zoom in progress";
  EXPECT_TRUE(settles({100'000, 300'000})) << "continues";
  view.resize(1200, 500);
  const auto shows = [&](const std::string& label) {
    return std::ranges::count(scene().rows(), label, &figure::TimelineRow::label) > 0;
  };
  EXPECT_TRUE(shows("stream 3"));
  EXPECT_FALSE(shows("stream 9"));
  // A window that showed everything still does; another profile starts with its defaults.
  view.show_everything();
  run = recorded(20);
  view.set_run(run);
  EXPECT_TRUE(scene().shows_everything());
  EXPECT_EQ(scene().window().end_ns, run->timeline.span.end_ns);
  open(testing::timed_run());
  EXPECT_TRUE(shows("stream 9"));
}

TEST_F(TimelineViewTest, ComparedRunsHaveTheSameScaleWithAnyScrollBar) {
  test::ProfileBuilder builder;
  builder.kernel(100'000, 300'000, "alone");
  view.resize(1200, 300);
  view.set_baseline(testing::prepared(builder));
  ASSERT_GT(scene().most_scroll_px(), 0);
  ASSERT_EQ(view.baseline_scene()->most_scroll_px(), 0);
  EXPECT_EQ(view.baseline_scene()->plot().right, scene().plot().right);
}

}  // namespace
}  // namespace mansard::gui
