// SPDX-License-Identifier: Apache-2.0
// Fixture: a timeline with simulated mouse input.
#pragma once

#include <QApplication>
#include <QImage>
#include <QMenu>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {

class TimelineViewTest : public ::testing::Test {
 protected:
  TimelineViewTest() {
    apply_theme(*qApp, figure::Theme::light);
    view.resize(1200, 500);
    open(testing::timed_run());
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  void open(std::shared_ptr<const OpenRun> opened) {
    run = std::move(opened);
    selection.set_run(run);
    view.set_run(run);
    view.show_everything();
    Q_EMIT selection.history_about_to_move();  // reports it at once
  }

  const TimelineScene& scene() const { return view.scene(); }
  const figure::TimeScale& scale() const { return scene().scale(); }

  const figure::TimelineRow& row(figure::TrackKind kind, std::int64_t stream_id = -1) const {
    static const figure::TimelineRow none;
    for (const figure::TimelineRow& r : scene().rows()) {
      if (r.kind != figure::RowKind::track) continue;
      const figure::TimelineTrack& track = run->timeline.tracks[r.index];
      if (track.kind == kind && (stream_id < 0 || track.queue.stream_id == stream_id)) return r;
    }
    ADD_FAILURE() << "no such visible row";
    return none;
  }

  // In the row, near its bottom, below the names.
  QPoint place(const figure::TimelineRow& r, std::int64_t time_ns) const {
    return {static_cast<int>(std::lround(scale().map(time_ns))),
            static_cast<int>(std::lround(r.box.bottom)) - 3};
  }
  QPoint on_stream(std::int64_t time_ns, std::int64_t stream_id = 0) const {
    return place(row(figure::TrackKind::stream, stream_id), time_ns);
  }

  std::size_t row_of_class(const char* operation_class) const {
    for (std::size_t i = 0; i < run->analysis.rows.size(); ++i) {
      if (run->analysis.rows[i].operation_class == operation_class) return i;
    }
    ADD_FAILURE() << operation_class;
    return 0;
  }

  void wheel(QPointF at, QPoint turned, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(at, view.mapToGlobal(at), {}, turned, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }

  void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
            Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(&view, button, modifiers, from);
    const auto move = [&](QPoint at) {
      QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, button,
                        modifiers);
      QApplication::sendEvent(&view, &event);
    };
    move((from + to) / 2);
    move(to);
    QTest::mouseRelease(&view, button, modifiers, to);
  }

  bool tells(std::optional<figure::TimeSpan> window) {
    return QTest::qWaitFor([&] { return selection.filter().window == window; }, 2000);
  }

  // Whether the selection model learns that this time span is visible.
  bool settles(const figure::TimeSpan& visible) {
    return QTest::qWaitFor([&] { return selection.state().visible == visible; }, 2000);
  }

  QImage picture() { return view.grab().toImage(); }

  QAction* entry(QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions()) {
      if (action->text() == text) return action;
    }
    return nullptr;
  }

  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  TimelineView view{&selection};
};

}  // namespace mansard::gui
