// SPDX-License-Identifier: Apache-2.0
// The timeline with simulated mouse input, its effects on other views, and its pixels at computed
// positions. Times are ns.
#include "gui/views/timeline_view.h"

#include <QApplication>
#include <QImage>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "collector/store/global_ids.h"
#include "reports/figure/shown_step.h"
#include "reports/figure/timeline_drawing.h"
#include "tests/gui/timeline_view_fixture.h"

namespace mansard::gui {
namespace {

TEST_F(TimelineViewTest, SlicesHaveTheirColorAtTheirTimes) {
  for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
    apply_theme(*qApp, theme);
    QCoreApplication::processEvents();  // the palette change arrives as an event
    const QImage image = picture();
    const QColor gemm = to_qcolor(figure::mark_style("gemm", theme).color);
    EXPECT_EQ(image.pixelColor(on_stream(200'000)), gemm);
    EXPECT_EQ(image.pixelColor(on_stream(160'000, 9)), gemm);
    EXPECT_EQ(image.pixelColor(on_stream(750'000)),
              to_qcolor(figure::mark_style("norm", theme).color));
    EXPECT_EQ(image.pixelColor(on_stream(450'000)), to_qcolor(figure::surface(theme).roof))
        << "idle";
    EXPECT_EQ(image.pixelColor(on_stream(450'000, 9)), to_qcolor(figure::surface(theme).roof));
  }
}

// Mouse handling searches the blocks of the rows, the drawing has links: both must agree.
TEST_F(TimelineViewTest, DrawingAgreesWithHitTesting) {
  picture();
  const figure::Drawing& drawing = view.painter().drawing();
  std::size_t blocks = 0;
  for (const figure::TimelineRow& r : scene().rows()) {
    for (const figure::TimelineBlock& block : r.blocks) {
      const figure::Point middle{(block.left_px + block.right_px) / 2, r.box.bottom - 1};
      EXPECT_EQ(figure::link_at(drawing, middle), figure::slice_link(r.index, block.first));
      EXPECT_EQ(figure::block_at(r.blocks, middle.x, 0), &block);
      ++blocks;
    }
  }
  EXPECT_GT(blocks, 8u);
  const auto links_to = [&](figure::Link link) {
    return figure::area_of(drawing, link).has_value();
  };
  EXPECT_TRUE(links_to({figure::Link::To::heading, 0}));
  EXPECT_TRUE(links_to({figure::Link::To::value_line, 0}));
}

TEST_F(TimelineViewTest, FilteredSlicesFade) {
  const figure::Rgb gemm_ink = figure::class_ink("gemm").light;
  const QColor gemm = to_qcolor(gemm_ink);
  const QColor norm = to_qcolor(figure::mark_style("norm", figure::Theme::light).color);
  selection.set_operation_class(QStringLiteral("norm"));
  QImage image = picture();
  EXPECT_EQ(image.pixelColor(on_stream(200'000)),
            to_qcolor(figure::mixed({255, 255, 255}, gemm_ink, 0.28)));
  EXPECT_EQ(image.pixelColor(on_stream(750'000)), norm);
  selection.set_operation_class({});
  ViewFilter filter;
  filter.stream = gui::StreamKey{0, 0, 9};
  selection.set_filter(filter);
  image = picture();
  EXPECT_EQ(image.pixelColor(on_stream(160'000, 9)), gemm);
  EXPECT_NE(image.pixelColor(on_stream(200'000)), gemm);
}

TEST_F(TimelineViewTest, HighlightsTheSelectedRowAndLaunch) {
  const QImage before = picture();
  const figure::TimelineRow& stream = row(figure::TrackKind::stream, 0);
  const QPoint edge(static_cast<int>(std::lround(scale().map(600'000))),
                    static_cast<int>(std::lround(stream.box.top)));
  EXPECT_EQ(before.pixelColor(edge),
            to_qcolor(figure::mark_style("gemm", figure::Theme::light).color));
  selection.select(row_of_class("gemm"));
  EXPECT_EQ(picture().pixelColor(edge), to_qcolor(figure::surface(figure::Theme::light).accent));
  const QPoint above = edge - QPoint(0, 1);
  EXPECT_NE(picture().pixelColor(above), to_qcolor(figure::surface(figure::Theme::light).accent));
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_stream(600'000));
  EXPECT_EQ(picture().pixelColor(above), to_qcolor(figure::surface(figure::Theme::light).accent));
}

TEST_F(TimelineViewTest, WheelZoomsAtTheCursor) {
  const QPoint at = on_stream(600'000);
  const std::int64_t time = scale().invert(at.x());
  const double length = scale().length_ns();
  wheel(at, {0, 240});
  EXPECT_NEAR(static_cast<double>(scale().invert(at.x()) - time), 0, 2);
  EXPECT_NEAR(scale().length_ns(), length / (1.25 * 1.25), 2);
  wheel(at, {0, -1200});
  EXPECT_TRUE(scene().shows_everything());
}

TEST_F(TimelineViewTest, SidewaysAndShiftedWheelsPan) {
  wheel(on_stream(600'000), {0, 600});
  const figure::TimeSpan before = scene().window();
  wheel(on_stream(600'000), {0, -120}, Qt::ShiftModifier);
  EXPECT_GT(scene().window().start_ns, before.start_ns);
  wheel(on_stream(600'000), {120, 0});
  EXPECT_NEAR(static_cast<double>(scene().window().start_ns - before.start_ns), 0, 2);
}

TEST_F(TimelineViewTest, DragPans) {
  wheel(on_stream(600'000), {0, 600});
  const QPoint at = on_stream(600'000);
  const std::int64_t time = scale().invert(at.x());
  drag(at, at + QPoint(-100, 0));
  EXPECT_NEAR(static_cast<double>(scale().invert(at.x() - 100) - time), 0, 2);
  EXPECT_EQ(selection.selected(), std::nullopt) << "a drag is not a click";
}

TEST_F(TimelineViewTest, KeysDoWhatTheMouseDoes) {
  for (const auto& [in, out, left, right] :
       {std::tuple{Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Left, Qt::Key_Right},
        std::tuple{Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D}}) {
    const double length = scale().length_ns();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&view, in);
    QTest::keyClick(&view, out);
    EXPECT_NEAR(scale().length_ns(), length / (1.25 * 1.25), 2);
    const figure::TimeSpan before = scene().window();
    QTest::keyClick(&view, left);
    EXPECT_LT(scene().window().start_ns, before.start_ns);
    QTest::keyClick(&view, right);
    EXPECT_NEAR(static_cast<double>(scene().window().start_ns - before.start_ns), 0, 2);
    view.show_everything();
  }
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_EQ(scene().window(), figure::shown_step(run->timeline, run->steps).window);
  const std::int64_t length_ns = scene().window().end_ns - scene().window().start_ns;
  QTest::keyClick(&view, Qt::Key_End);
  EXPECT_EQ(scene().window().end_ns, scale().limits().end_ns);
  QTest::keyClick(&view, Qt::Key_Home);
  EXPECT_EQ(scene().window().start_ns, scale().limits().start_ns);
  EXPECT_NEAR(static_cast<double>(scene().window().end_ns - scene().window().start_ns - length_ns),
              0, 2);
  selection.select(0);
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_EQ(selection.selected(), std::nullopt);
}

TEST_F(TimelineViewTest, RowsScroll) {
  view.resize(1200, 140);
  ASSERT_GT(scene().most_scroll_px(), 0);
  QTest::keyClick(&view, Qt::Key_PageDown);
  EXPECT_GT(scene().scroll_px(), 0);
  QTest::keyClick(&view, Qt::Key_PageUp);
  EXPECT_EQ(scene().scroll_px(), 0);
  wheel({20, 100}, {0, -120});
  EXPECT_GT(scene().scroll_px(), 0) << "over the labels";
  EXPECT_TRUE(scene().shows_everything());
  auto* bar = view.findChild<QScrollBar*>();
  bar->setValue(bar->maximum());
  EXPECT_NEAR(scene().scroll_px(), scene().most_scroll_px(), 1);
}

TEST_F(TimelineViewTest, ClickSelectsALaunch) {
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_stream(600'000));
  ASSERT_TRUE(selection.selected_launch());
  EXPECT_EQ(run->launches.start_ns[*selection.selected_launch()], 500'000);
  EXPECT_EQ(selection.selected(), row_of_class("gemm"));
  QTest::mouseClick(&view, Qt::LeftButton, {}, place(row(figure::TrackKind::steps), 200'000));
  EXPECT_TRUE(selection.selected_launch()) << "a step is not a launch";
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_stream(450'000));
  EXPECT_EQ(selection.selected(), std::nullopt) << "nothing ran there";
}

TEST_F(TimelineViewTest, ClickOnABlockZoomsToIt) {
  const QPoint at = on_stream(925'000);
  EXPECT_TRUE(view.tooltip(at).contains(QStringLiteral("slices")))
      << view.tooltip(at).toStdString();
  EXPECT_TRUE(view.tooltip(at).contains(QStringLiteral("busy")));
  QTest::mouseClick(&view, Qt::LeftButton, {}, at);
  EXPECT_LT(scale().length_ns(), 20'000);
  EXPECT_EQ(selection.selected(), std::nullopt);
}

TEST_F(TimelineViewTest, DoubleClicksZoomToASliceAndBack) {
  // Qt's test library sends only the second press of a double click.
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_stream(600'000));
  QTest::mouseDClick(&view, Qt::LeftButton, {}, on_stream(600'000));
  EXPECT_EQ(scene().window(), (figure::TimeSpan{475'000, 725'000}));
  EXPECT_TRUE(selection.selected_launch()) << "its first click selects";
  QTest::mouseDClick(&view, Qt::LeftButton, {}, on_stream(710'000));
  EXPECT_TRUE(scene().shows_everything()) << "nothing ran there";
}

TEST_F(TimelineViewTest, NAndPStepThroughTheLaunchesOfARow) {
  view.show_window({0, 100'000});
  selection.select(row_of_class("gemm"));
  std::vector<std::int64_t> starts;
  for (const Qt::Key key : {Qt::Key_N, Qt::Key_N, Qt::Key_N, Qt::Key_N, Qt::Key_P}) {
    QTest::keyClick(&view, key);
    ASSERT_TRUE(selection.selected_launch());
    starts.push_back(run->launches.start_ns[*selection.selected_launch()]);
  }
  EXPECT_EQ(starts, (std::vector<std::int64_t>{100'000, 150'000, 500'000, 500'000, 150'000}));
  EXPECT_EQ(scene().window(), (figure::TimeSpan{200'000, 300'000}))
      << "150 to 350 µs in the middle";
}

TEST_F(TimelineViewTest, GroupsCloseAndOpen) {
  const std::size_t rows = scene().rows().size();
  QTest::mouseClick(&view, Qt::LeftButton, {}, {30, static_cast<int>(scene().plot().top) + 12});
  EXPECT_LT(scene().rows().size(), rows);
  EXPECT_TRUE(scene().rows().front().closed);
  picture();
  selection.select(row_of_class("gemm"));
  QTest::keyClick(&view, Qt::Key_N);
  EXPECT_EQ(scene().rows().size(), rows) << "shows what is searched";
}

TEST_F(TimelineViewTest, ThreadsOfAProcessAreTogether) {
  test::ProfileBuilder builder = testing::timed_profile();
  const auto launch = [&](std::int64_t pid, std::int64_t tid, int launches) {
    for (int i = 0; i < launches; ++i) {
      const std::int64_t start_ns = 960'000 + 1000 * tid + 100 * i;
      builder.launch(start_ns, start_ns + 10, start_ns + 20, "k", store::global_tid(pid, tid));
    }
  };
  launch(10, 11, 3);  // the order of threads is that of their launches
  launch(20, 21, 2);
  launch(10, 12, 1);
  open(testing::prepared(builder));
  std::vector<std::string> headings;
  for (const figure::TimelineGroup& group : scene().groups()) headings.push_back(group.label);
  const auto at = [&](const std::string& label) {
    return std::ranges::find(headings, label) - headings.begin();
  };
  ASSERT_EQ(std::ranges::count(headings, "process 10, thread 11"), 1);
  EXPECT_EQ(at("process 10, thread 12"), at("process 10, thread 11") + 1);
  EXPECT_EQ(std::ranges::count(headings, "process 20, thread 21"), 1);
  EXPECT_EQ(headings.front(), "GPU 0");
  picture();
}

TEST_F(TimelineViewTest, TheMenuFiltersAndHides) {
  QMenu menu;
  view.fill_menu(menu, on_stream(160'000, 9));
  ASSERT_NE(entry(menu, QStringLiteral("Show only this stream")), nullptr);
  entry(menu, QStringLiteral("Show only this stream"))->trigger();
  EXPECT_EQ(selection.filter().stream, (gui::StreamKey{0, 0, 9}));
  entry(menu, QStringLiteral("Show only this class"))->trigger();
  EXPECT_EQ(selection.filter().operation_class, QStringLiteral("gemm"));
  EXPECT_EQ(entry(menu, QStringLiteral("Show only this range")), nullptr);
  entry(menu, QStringLiteral("Zoom to this"))->trigger();
  EXPECT_EQ(scene().window(), (figure::TimeSpan{125'000, 375'000}));
  entry(menu, QStringLiteral("Hide this row"))->trigger();
  for (const figure::TimelineRow& r : scene().rows()) EXPECT_NE(r.label, "stream 9");
  view.show_everything();

  QMenu ranges;
  view.fill_menu(ranges, place(row(figure::TrackKind::device_ranges), 200'000));
  ASSERT_NE(entry(ranges, QStringLiteral("Show only this range")), nullptr);
  entry(ranges, QStringLiteral("Show only this range"))->trigger();
  EXPECT_EQ(selection.filter().range, QStringLiteral("fprop"));
  entry(ranges, QStringLiteral("Show all rows"))->trigger();
  EXPECT_FALSE(scene().hides_any());
}

TEST_F(TimelineViewTest, TooltipShowsTheFacts) {
  QTest::mouseMove(&view, on_stream(600'000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return selection.hovered() == row_of_class("gemm"); }, 2000));
  const QString text = view.tooltip(on_stream(600'000));
  for (const char* part :
       {"my_gemm", "gemm", "200 µs", "500 µs", "stream 0", "225 µs per step", "1.5 launches"}) {
    EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << " in " << text.toStdString();
  }
  EXPECT_TRUE(view.tooltip(place(row(figure::TrackKind::steps), 200'000))
                  .contains(QStringLiteral("step 0")));
  for (const figure::TimelineRow& r : scene().rows()) {
    if (r.kind != figure::RowKind::line) continue;
    const QPoint at = place(r, 450'000);
    EXPECT_TRUE(view.tooltip(at).contains(QStringLiteral("300 W"))) << "the sample at 400 µs";
  }
  EXPECT_EQ(view.tooltip(on_stream(450'000)), QString());
}

TEST_F(TimelineViewTest, BaselineIsBelowAlignedByStep) {
  test::ProfileBuilder later;
  later.range(5'000'000, 5'400'000, "step 0").range(5'400'000, 5'800'000, "step 1");
  later.launch(5'010'000, 5'100'000, 5'300'000, "my_gemm");
  later.launch(5'410'000, 5'500'000, 5'700'000, "my_gemm");
  view.set_baseline(testing::prepared(later));
  ASSERT_NE(view.baseline_scene(), nullptr);
  EXPECT_TRUE(scene().shows_everything());
  view.show_typical_step();
  const TimelineScene& other = *view.baseline_scene();
  EXPECT_NEAR(other.scale().length_ns(), scale().length_ns(), 2);
  const std::int64_t apart = other.window().start_ns - scene().window().start_ns;
  wheel(on_stream(scene().window().start_ns + 10'000), {0, 240});
  EXPECT_NEAR(static_cast<double>(other.window().start_ns - scene().window().start_ns - apart), 0,
              2);
  EXPECT_NEAR(other.scale().length_ns(), scale().length_ns(), 2);
  // Its launches do not belong to this run.
  view.show_everything();
  for (const figure::TimelineRow& r : other.rows()) {
    if (r.kind != figure::RowKind::track || r.blocks.empty()) continue;
    const double x = (r.blocks[0].left_px + r.blocks[0].right_px) / 2;
    QTest::mouseClick(&view, Qt::LeftButton, {},
                      {static_cast<int>(x), static_cast<int>(r.box.bottom) - 3});
  }
  EXPECT_EQ(selection.selected(), std::nullopt);
  picture();
  view.set_baseline(nullptr);
  EXPECT_EQ(view.baseline_scene(), nullptr);
}

TEST_F(TimelineViewTest, TablesCoverTheWindow) {
  view.show_window({0, 400'000});
  const std::vector<analysis::Table> tables = view.tables();
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(std::get<std::string>(tables[0].rows[0][0]), "gemm");
  EXPECT_NEAR(std::get<double>(tables[0].rows[0][1]), 400e-6, 1e-12);
  EXPECT_NEAR(std::get<double>(tables[0].rows[0][2]), 1, 1e-9);
  EXPECT_EQ(tables[1].rows.size(), 3u) << "two launches and a memcpy start in it";
}

TEST_F(TimelineViewTest, ExportedFigureOmitsTheCursor) {
  const QImage screen = picture();
  QImage file(view.size(), screen.format());
  QPainter painter(&file);
  view.paint_figure(painter);
  painter.end();
  for (const std::int64_t time : {200'000, 450'000, 750'000}) {
    EXPECT_EQ(file.pixelColor(on_stream(time)), screen.pixelColor(on_stream(time)));
  }
}

TEST_F(TimelineViewTest, HostLaunchesAreRanges) {
  open(testing::annotated_host_run());
  const figure::TimelineRow& ranges = row(figure::TrackKind::host_ranges);
  QTest::mouseClick(&view, Qt::LeftButton, {}, place(ranges, 2500));
  ASSERT_TRUE(selection.selected_launch());
  EXPECT_EQ(run->launches.start_ns[*selection.selected_launch()], 2000);
  QMenu menu;
  view.fill_menu(menu, place(row(figure::TrackKind::host_ranges), 2500));
  EXPECT_NE(entry(menu, QStringLiteral("Show only this thread")), nullptr);
  picture();
}

TEST_F(TimelineViewTest, ShowsASingleKernel) {
  test::ProfileBuilder builder;
  builder.kernel(1000, 1010, "alone");
  open(testing::prepared(builder));
  ASSERT_FALSE(scene().empty());
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_stream(1005));
  EXPECT_EQ(selection.selected_launch(), 0u);
  QTest::keyClick(&view, Qt::Key_N);
  QTest::keyClick(&view, Qt::Key_S);
  picture();
}

TEST_F(TimelineViewTest, EscapesNames) {
  test::ProfileBuilder builder;
  const std::string name = "<b>bold</b>\x1b[31m\xff\n" + std::string(5000, 'x');
  builder.kernel(0, 1'000'000, name);
  builder.range(0, 1'000'000, name);
  open(testing::prepared(builder));
  const QString text = view.tooltip(place(row(figure::TrackKind::host_ranges), 500'000));
  EXPECT_TRUE(text.contains(QStringLiteral("&lt;b&gt;"))) << text.toStdString();
  EXPECT_FALSE(text.contains(QChar(0x1b)));
  EXPECT_LT(text.size(), 1000);
  picture();
}

TEST_F(TimelineViewTest, SaysWhyItIsEmpty) {
  const auto try_everything = [&] {
    picture();
    for (const Qt::Key key : {Qt::Key_Plus, Qt::Key_N, Qt::Key_S, Qt::Key_0, Qt::Key_PageDown}) {
      QTest::keyClick(&view, key);
    }
    wheel({600, 250}, {0, 120});
    QTest::mouseClick(&view, Qt::LeftButton, {}, {600, 250});
    QTest::mouseDClick(&view, Qt::LeftButton, {}, {600, 250});
    drag({600, 250}, {700, 250});
    QMenu menu;
    view.fill_menu(menu, {600, 250});
    EXPECT_TRUE(view.tables().empty());
    EXPECT_EQ(view.tooltip({600, 250}), QString());
  };
  open(nullptr);
  try_everything();
  open(prepare_run(analysis::RunAnalysis()));
  try_everything();
  const QImage image = picture();
  int written = 0;  // pixels of the sentence in the middle
  for (int x = 300; x < 900; ++x) {
    for (int y = 235; y < 265; ++y) written += image.pixelColor(x, y) != image.pixelColor(5, 5);
  }
  EXPECT_GT(written, 100);
}

TEST_F(TimelineViewTest, AcceptsAnySize) {
  test::ProfileBuilder builder = testing::timed_profile();
  const auto other = testing::prepared(builder);
  for (const QSize size : {QSize(1, 1), QSize(20, 10), QSize(30, 2000), QSize(3000, 8)}) {
    view.resize(size);
    picture();
    wheel({0, 0}, {0, 120});
    view.set_baseline(other);
    picture();
    view.set_baseline(nullptr);
  }
  view.resize(1200, 500);
  view.show_everything();
  EXPECT_EQ(picture().pixelColor(on_stream(200'000)),
            to_qcolor(figure::mark_style("gemm", figure::Theme::light).color));
}

}  // namespace
}  // namespace mansard::gui
