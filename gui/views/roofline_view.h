// SPDX-License-Identifier: Apache-2.0
// The interactive roofline: hover for facts, click to select, wheel to zoom, drag to pan.
#pragma once

#include "gui/views/roofline_scene.h"
#include "gui/views/run_view.h"

namespace mansard {

class RooflineView : public RunView {
  Q_OBJECT

 public:
  explicit RooflineView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<Table> tables() const override;
  void set_level(MemoryLevel level);

  const RooflineScene& scene() const { return scene_; }
  QString tooltip(const Mark& mark) const;
  QSize sizeHint() const override { return {900, 520}; }
  QSize minimumSizeHint() const override { return {360, 240}; }

 Q_SIGNALS:
  void level_changed(MemoryLevel level);

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

 private:
  const Mark* mark_under(QPointF position) const;
  const LegendItem* legend_under(QPointF position) const;
  void hover(QPointF position);
  void click(QPointF position);
  void zoom_at_centre(double factor);
  void select_next(int step);
  void next_level();

  RooflineScene scene_;
  QPointF pressed_;
  QPointF dragged_to_;
  bool armed_ = false;  // the left button was pressed here
  bool dragging_ = false;
};

}  // namespace mansard
