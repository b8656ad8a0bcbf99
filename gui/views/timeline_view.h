// SPDX-License-Identifier: Apache-2.0
// Interactive timeline: wheel to zoom, drag to pan, click a launch to select it. A selected
// interval filters all views of the page; the visible time span does so only if it is pinned. Above
// are the steps to choose from. The baseline's timeline, if any, is below, with the same length of
// time.
#pragma once

#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>
#include <optional>

#include "gui/models/timeline_marks.h"
#include "gui/views/interval_bar.h"
#include "gui/views/run_view.h"
#include "gui/views/step_strip.h"
#include "gui/views/timeline_pane.h"

class QMenu;

namespace mansard::gui {

class TimelineView : public RunView {
  Q_OBJECT

 public:
  explicit TimelineView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override {
    own_.scene.show_everything();
    window_moved();
  }
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override { paint(painter); }
  std::vector<analysis::Table> tables() const override;

  void show_window(figure::TimeSpan window) {
    own_.scene.show(window);
    window_moved();
  }
  void show_typical_step();
  void show_step(int by);  // the next (1) or previous (-1) step
  // Selects and centers the next (1) or previous (-1) launch of the selected row, without one as
  // step_match(): the next launch that passes the filter.
  void step_launch(int step);
  void step_match(int step);
  // The selected interval; empty if none, or if the visible time span is pinned instead.
  std::optional<figure::TimeSpan> selected_interval() const;
  StepStrip* steps() { return steps_; }
  IntervalBar* interval() { return interval_; }

  const TimelineScene& scene() const { return own_.scene; }
  const TimelinePainter& painter() const { return own_.painter; }  // as last painted
  const TimelineScene* baseline_scene() const { return comparing_ ? &baseline_.scene : nullptr; }
  QString tooltip(QPointF position) const { return pane_at(position).tooltip(position); }
  void fill_menu(QMenu& menu, QPointF position);
  // Names of the pinned rows, see TimelineScene::pins().
  QStringList pins() const;
  void set_pins(const QStringList& names);

  QSize sizeHint() const override { return {900, 420}; }
  QSize minimumSizeHint() const override { return {240, 120}; }
  static constexpr int kSettle_ms = 120;  // from the last move until it is an undo step

 Q_SIGNALS:
  void pins_changed();  // by the user

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  enum class Drag { none, pressed, pan, mark };

  void lay_out();
  void set_limits();
  void follow_window();  // sets the baseline's window from the run's
  void refresh() {       // schedules a repaint
    stale_ = true;
    update();
  }
  void window_moved();  // moved by the user: reported after kSettle_ms
  void tell_visible();
  void hear_visible();
  void hear_filter();
  void hear_selection();

  void paint(QPainter& painter) const;
  void paint_pane(QPainter& painter, TimelinePane& pane) const;
  QString empty_text(const OpenRun* run) const;
  void paint_cursor(QPainter& painter) const;

  TimelinePane& pane_at(QPointF position) const;
  void zoom(double factor, double x_px) {
    own_.scene.zoom(factor, x_px);
    window_moved();
  }
  void pan(double dx_px) {
    own_.scene.pan(dx_px);
    window_moved();
  }
  void scroll(TimelinePane& pane, double dy_px) {
    pane.scroll(dy_px);
    refresh();
  }
  void toggle_pin(TimelinePane& pane, const figure::TimelineRow& row);
  void toggle_pin_by_key();
  void center(std::optional<std::size_t> launch);
  void select_visible();
  void zoom_to_selection();
  void clear_selection();
  void drag_to(QPointF position);
  void end_mark(QPointF position);
  void hover(QPointF position);
  void click(QPointF position);
  void zoom_to(const TimelinePane& pane, const figure::TimeSpan& span);

  // Painters cache memory, names and glyphs.
  mutable TimelinePane own_;
  mutable TimelinePane baseline_;
  bool comparing_ = false;
  StepStrip* steps_;
  IntervalBar* interval_;
  QTimer settle_;
  figure::TimeSpan reported_;  // the window last reported to the selection model

  TimelineMarks marks_;

  QPixmap picture_;  // without the cursor
  bool stale_ = true;

  std::optional<QPointF> cursor_;
  Drag drag_ = Drag::none;
  Qt::MouseButton button_ = Qt::NoButton;
  QPointF pressed_;
  QPointF dragged_to_;
  QElapsedTimer zoomed_by_click_;
};

}  // namespace mansard::gui
