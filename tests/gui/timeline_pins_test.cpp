// SPDX-License-Identifier: Apache-2.0
// Pinned rows of the timeline.
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include <gtest/gtest.h>

#include "gui/models/pinned_rows.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"
#include "reports/figure/timeline_groups.h"
#include "tests/gui/fixture.h"
#include "tests/gui/timeline_view_fixture.h"

namespace mansard::gui {
namespace {

class TimelinePinsTest : public TimelineViewTest {
 protected:
  TimelinePinsTest() { view.resize(1200, 260); }  // the rows need to scroll

  void choose(const QPoint& at, const QString& text) {
    QMenu menu;
    view.fill_menu(menu, at);
    ASSERT_NE(entry(menu, text), nullptr) << text.toStdString();
    entry(menu, text)->trigger();
  }
  void pin_stream(std::int64_t stream_id) {
    choose(on_stream(200'000, stream_id), QStringLiteral("Pin this row to the top"));
  }
  std::vector<std::string> pinned_labels() const {
    std::vector<std::string> labels;
    for (const figure::TimelineRow& row : scene().pinned_rows()) labels.push_back(row.label);
    return labels;
  }
  // At a pinned row.
  QPoint on_pinned(std::size_t number, std::int64_t time_ns) const {
    return place(scene().pinned_rows()[number], time_ns);
  }
};

TEST_F(TimelinePinsTest, StayAtTheTopWhileOthersScroll) {
  const double height_px = scene().most_scroll_px();
  ASSERT_GT(height_px, 0);
  pin_stream(9);
  EXPECT_EQ(pinned_labels(), std::vector<std::string>{"stream 9"});
  for (const figure::TimelineRow& row : scene().rows()) EXPECT_NE(row.label, "stream 9");
  const double top = scene().pinned_rows().front().box.top;
  const double first = scene().rows().front().box.top;
  wheel({20, 200}, {0, -240});
  EXPECT_GT(scene().scroll_px(), 0);
  EXPECT_EQ(scene().pinned_rows().front().box.top, top);
  EXPECT_NE(scene().rows().front().box.top, first);
  // The scrolled rows end at the pinned ones, for the mouse as for the eye.
  EXPECT_EQ(scene().row_at(scene().pinned_bottom() - 1), nullptr);
  for (const figure::TimelineRow& row : scene().rows()) {
    EXPECT_GT(row.box.bottom, scene().pinned_bottom());
  }
  QTest::mouseClick(&view, Qt::LeftButton, {}, on_pinned(0, 200'000));
  ASSERT_TRUE(selection.selected_launch());
  EXPECT_EQ(run->launches.streams[run->launches.stream[*selection.selected_launch()]].stream_id, 9);
  // The last row can still be reached.
  QTest::keyClick(&view, Qt::Key_PageDown);
  QTest::keyClick(&view, Qt::Key_PageDown);
  EXPECT_LE(scene().rows().back().box.bottom, scene().plot().bottom);
}

TEST_F(TimelinePinsTest, AreDrawnOverTheScrolledRows) {
  pin_stream(9);
  const QImage before = picture();
  wheel({20, 200}, {0, -120});
  const QImage after = picture();
  const int left = static_cast<int>(scene().area().left);
  const int bottom = static_cast<int>(scene().pinned_bottom());
  const QRect pinned(left, 0, 1100, bottom);
  EXPECT_EQ(before.copy(pinned), after.copy(pinned));
  EXPECT_NE(before, after);
}

TEST_F(TimelinePinsTest, AreUnpinnedByMenuAndKey) {
  pin_stream(9);
  pin_stream(0);
  EXPECT_EQ(pinned_labels(), (std::vector<std::string>{"stream 0", "stream 9"}));
  choose(on_pinned(1, 200'000), QStringLiteral("Unpin this row"));
  EXPECT_EQ(pinned_labels(), std::vector<std::string>{"stream 0"});
  QTest::mouseMove(&view, on_pinned(0, 200'000));
  QTest::keyClick(&view, Qt::Key_T);
  EXPECT_TRUE(pinned_labels().empty());
  EXPECT_EQ(scene().pinned_bottom(), scene().plot().top);
  QTest::mouseMove(&view, on_stream(200'000));
  QTest::keyClick(&view, Qt::Key_T);
  EXPECT_EQ(pinned_labels(), std::vector<std::string>{"stream 0"});
  choose(on_pinned(0, 200'000), QStringLiteral("Unpin all rows"));
  EXPECT_TRUE(pinned_labels().empty());
}

TEST_F(TimelinePinsTest, CounterRowsAndWholeThreadsCanBePinned) {
  view.resize(1200, 700);
  const auto line =
      std::ranges::find(scene().rows(), figure::RowKind::line, &figure::TimelineRow::kind);
  ASSERT_NE(line, scene().rows().end());
  choose(place(*line, 200'000), QStringLiteral("Pin this row to the top"));
  ASSERT_EQ(scene().pinned_rows().size(), 1u);
  EXPECT_EQ(scene().pinned_rows().front().kind, figure::RowKind::line);
  EXPECT_TRUE(view.tooltip(on_pinned(0, 450'000)).contains(QStringLiteral("300 W")));
  const auto heading = std::ranges::find_if(scene().rows(), [&](const figure::TimelineRow& row) {
    return row.kind == figure::RowKind::heading && scene().groups()[row.group].device_id < 0;
  });
  ASSERT_NE(heading, scene().rows().end());
  const std::size_t of_thread = scene().groups()[heading->group].tracks.size();
  choose({40, static_cast<int>(heading->box.top) + 5}, QStringLiteral("Pin these rows to the top"));
  EXPECT_EQ(scene().pinned_rows().size(), 1 + of_thread);
}

TEST_F(TimelinePinsTest, RowsBeyondTheRoomScroll) {
  view.resize(1200, 160);
  const std::size_t tracks = run->timeline.tracks.size();
  std::vector<std::string> all;
  for (const figure::TimelineGroup& group : scene().groups()) all.push_back(group.label);
  for (std::size_t g = 0; g < all.size(); ++g) {
    figure::TimelineRow heading;
    heading.kind = figure::RowKind::heading;
    heading.group = heading.index = g;
    const_cast<TimelineScene&>(scene()).set_pinned(heading, true);
  }
  ASSERT_EQ(scene().pins().size(), tracks + run->timeline.lines.size());
  EXPECT_LT(scene().pinned_rows().size(), tracks);
  EXPECT_LE(scene().pinned_bottom() - scene().plot().top, 0.6 * scene().plot().height() + 1);
  EXPECT_GT(scene().most_scroll_px(), 0);
  view.resize(1200, 900);
  picture();
  EXPECT_EQ(scene().pinned_rows().size(), tracks + run->timeline.lines.size())
      << "all fit into a higher window";
}

TEST_F(TimelinePinsTest, AreKeptWhenTheFileIsReloadedAndForTheNextStart) {
  QTemporaryDir folder;
  const std::filesystem::path file = folder.filePath(QStringLiteral("run.sqlite")).toStdString();
  testing::write_training_run(file);
  const QString name = QString::fromStdString(file.string());
  QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  QStringList pins;
  const auto timeline_of = [&](MainWindow& window) {
    window.open({name});
    RunPage* page = window.page_of(name);
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->document()->open_run() != nullptr; }, 10'000));
    QTest::qWait(20);
    return qobject_cast<TimelineView*>(page->view(QStringLiteral("timeline")));
  };
  {
    MainWindow window({}, &settings);
    window.resize(1280, 900);
    window.show();
    TimelineView* timeline = timeline_of(window);
    timeline->resize(1200, 400);
    const TimelineScene& shown = timeline->scene();
    const auto stream =
        std::ranges::find(shown.rows(), figure::RowKind::track, &figure::TimelineRow::kind);
    ASSERT_NE(stream, shown.rows().end());
    QMenu menu;
    timeline->fill_menu(menu, QPointF(30, stream->box.bottom - 3));
    ASSERT_NE(entry(menu, QStringLiteral("Pin this row to the top")), nullptr);
    entry(menu, QStringLiteral("Pin this row to the top"))->trigger();
    pins = timeline->pins();
    ASSERT_FALSE(pins.isEmpty());
    window.page_of(name)->document()->reload();
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return !window.page_of(name)->document()->reloading(); }, 10'000));
    EXPECT_EQ(timeline->pins(), pins);
    EXPECT_FALSE(timeline->scene().pinned_rows().empty());
  }
  EXPECT_EQ(PinnedRows(&settings, name).all(), pins);
  EXPECT_TRUE(PinnedRows(&settings, QStringLiteral("/other.sqlite")).all().isEmpty());
  MainWindow again({}, &settings);
  again.resize(1280, 900);
  again.show();
  TimelineView* timeline = timeline_of(again);
  timeline->resize(1200, 400);
  EXPECT_EQ(timeline->pins(), pins);
  EXPECT_FALSE(timeline->scene().pinned_rows().empty());
}

TEST_F(TimelinePinsTest, NamesOfOtherRunsDoNotMatter) {
  view.set_pins({QStringLiteral("no such row"), QString()});
  EXPECT_TRUE(scene().pinned_rows().empty());
  picture();
}

}  // namespace
}  // namespace mansard::gui
