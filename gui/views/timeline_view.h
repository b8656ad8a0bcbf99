// SPDX-License-Identifier: Apache-2.0
// The interactive timeline: wheel to zoom, drag to pan, click a launch to select it. What of it is
// shown is what every view of the page is filtered by. Below it, with the same length of time, that
// of the run it is compared with.
#pragma once

#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>
#include <optional>

#include "gui/views/run_view.h"
#include "gui/views/slice_names.h"
#include "gui/views/timeline_painter.h"
#include "gui/views/timeline_scene.h"

class QMenu;
class QScrollBar;

namespace mansard::gui {

class TimelineView : public RunView {
  Q_OBJECT

 public:
  explicit TimelineView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  void show_window(figure::TimeSpan window);
  void show_typical_step();
  // To the next (1) or previous (-1) launch of the selected row: selects it, in the middle.
  void step_launch(int step);

  const TimelineScene& scene() const { return own_.scene; }
  const TimelineScene* baseline_scene() const { return comparing_ ? &baseline_.scene : nullptr; }
  QString tooltip(QPointF position) const;  // rich text; empty: nothing is there
  void fill_menu(QMenu& menu, QPointF position);

  QSize sizeHint() const override { return {900, 420}; }
  QSize minimumSizeHint() const override { return {240, 120}; }
  static constexpr std::size_t kRecentRows = 6;
  static constexpr int kSettle_ms = 120;  // after the last move, before others hear of the window

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
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
  // One run, with what is needed to draw it.
  struct Pane {
    TimelineScene scene;
    QScrollBar* bar = nullptr;
    figure::Rect area;         // with its caption
    std::int64_t step_ns = 0;  // where its typical step begins: runs are laid over each other there
    mutable SliceNames names;
  };
  struct Target {
    Pane* pane = nullptr;
    const SeenRow* row = nullptr;
    const figure::TimelineBlock* block = nullptr;
  };
  enum class Drag { none, pressed, pan, mark };

  // timeline_view.cpp
  void lay_out();
  // `room` for a bar where none is needed; whether one is.
  bool place(Pane& pane, double top, double bottom, bool room);
  void set_limits();
  void follow_window();  // the baseline that of the run
  void refresh();        // draws anew, soon
  void window_moved();   // by its user: others hear of it once it has come to rest
  void tell_window();
  void hear_filter();
  void hear_selection();
  void hear_hover();
  std::shared_ptr<RowSlices> slices_of(std::size_t row);
  double caption_px() const;

  // timeline_drawing.cpp
  void paint(QPainter& painter) const;
  void paint_pane(QPainter& painter, const Pane& pane) const;
  TimelineMarks marks_of(const Pane& pane) const;
  QString empty_text(const OpenRun* run) const;
  void paint_cursor(QPainter& painter) const;
  void paint_ruler(QPainter& painter, const Pane& pane) const;
  void paint_marked(QPainter& painter, const Pane& pane) const;

  // timeline_input.cpp
  Target target_at(QPointF position) const;
  Pane& pane_at(QPointF position);
  void zoom(double factor, double x_px);
  void pan(double dx_px);
  void scroll(Pane& pane, double dy_px);
  void drag_to(QPointF position);
  void end_mark(QPointF position);
  void hover(QPointF position);
  void click(QPointF position);
  void zoom_to(const Pane& pane, const figure::TimeSpan& span);

  Pane own_;
  Pane baseline_;
  bool comparing_ = false;
  QTimer settle_;
  std::optional<figure::TimeSpan> told_;  // the window that all views have

  SliceFilter filter_;
  std::shared_ptr<RowSlices> selected_;
  std::shared_ptr<RowSlices> hovered_;
  std::vector<std::shared_ptr<RowSlices>> recent_;  // the last one first: the cursor comes back
  std::optional<figure::SliceRef> launch_;
  std::optional<figure::SliceRef> call_;

  QPixmap picture_;  // without the cursor's
  bool stale_ = true;

  std::optional<QPointF> cursor_;
  Drag drag_ = Drag::none;
  Qt::MouseButton button_ = Qt::NoButton;
  QPointF pressed_;
  QPointF dragged_to_;
  QElapsedTimer zoomed_by_click_;
};

}  // namespace mansard::gui
