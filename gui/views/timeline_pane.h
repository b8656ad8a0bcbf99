// SPDX-License-Identifier: Apache-2.0
// The timeline of one run in a part of the view: caption, rows and scroll bar.
#pragma once

#include <QString>
#include <memory>

#include "gui/views/timeline_painter.h"
#include "gui/views/timeline_scene.h"

class QScrollBar;
class QWidget;

namespace mansard::gui {

class TimelinePane {
 public:
  struct Target {
    const figure::TimelineRow* row = nullptr;
    const figure::TimelineBlock* block = nullptr;
  };

  explicit TimelinePane(QWidget* view);
  TimelinePane(const TimelinePane&) = delete;

  // Null: none.
  void set_run(std::shared_ptr<const OpenRun> run);
  // `caption_px`: height of the caption, 0 for none. Returns whether the rows need a scroll bar;
  // `room` reserves space for one anyway.
  bool place(const figure::Rect& area, double caption_px, bool room);
  void scroll(double dy_px);

  // Without a block over the labels, and without a row outside all rows.
  Target at(QPointF position) const;
  QString tooltip(QPointF position) const;  // rich text; empty if there is nothing

  void paint(QPainter& on, const TimelineMarks* marks, figure::Theme theme);
  void write_caption(QPainter& on, const QString& text, figure::Theme theme) const;
  void write_instead(QPainter& on, const QString& text, figure::Theme theme) const;

  TimelineScene scene;
  TimelinePainter painter;
  QScrollBar* const bar;
  const figure::Rect& area() const { return area_; }
  // The typical step that is shown first. Compared runs are aligned by its start.
  const figure::TimeSpan& step() const { return step_; }

 private:
  QWidget* view_;
  figure::Rect area_;  // includes the caption
  double caption_px_ = 0;
  figure::TimeSpan step_;
};

}  // namespace mansard::gui
