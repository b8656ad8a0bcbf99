// SPDX-License-Identifier: Apache-2.0
// Interactive plane of kernels and launches: hover for facts, click to select, wheel to zoom, drag
// to pan.
#pragma once

#include <QStringList>

#include "gui/models/background.h"
#include "gui/views/plane_density.h"
#include "gui/views/plane_scene.h"
#include "gui/views/run_view.h"

namespace mansard::gui {

class PlaneControls;

class PlaneView : public RunView {
  Q_OBJECT

 public:
  PlaneView(PlaneKind kind, SelectionModel* selection, QWidget* parent = nullptr);
  ~PlaneView() override;

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> baseline) override;
  void show_everything() override;  // resets the zoom to the part that is shown first
  void show_all();                  // all decades
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  // Display options; kept when another run is set.
  const PlaneOptions& options() const { return scene_.options(); }
  void set_options(const PlaneOptions& options);
  // Adds the ceilings of a machine model. Returns the error, or an empty string.
  QString add_machine(const QString& file);

  // The current scene; a hidden view is laid out by this call.
  const PlaneScene& scene() const;
  // The drawing as painted, with a ring around the hovered row.
  const figure::Drawing& drawing(std::optional<std::size_t> hovered = {}) const;
  PlaneControls* controls() { return controls_; }
  // The launches near a position, as for the tooltip.
  figure::LaunchesNear launches_at(QPointF position) const;
  std::optional<figure::Point> place_of_launch(std::size_t launch) const;
  QString tooltip(const figure::Mark& mark) const;
  QSize sizeHint() const override { return {900, 520}; }
  QSize minimumSizeHint() const override { return {360, 240}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void catch_up() const;
  void follow_selection() const;
  void follow_shown() const;
  void fit() const;
  void paint(QPainter& painter, std::optional<std::size_t> hovered) const;
  void paint_sentence(QPainter& painter) const;
  const figure::Mark* mark_under(const std::vector<figure::Mark>& marks, QPointF position) const;
  const figure::ClassKey* legend_under(QPointF position) const;
  bool beyond_under(QPointF position) const;
  void hover(QPointF position);
  void click(QPointF position);
  void zoom_at_center(double factor);
  void select_next(int step);
  void next_level();
  void next_marks();
  void ask_for_machine();

  mutable PlaneScene scene_;
  mutable PlaneDensity density_;
  mutable figure::Drawing drawing_;  // last drawing; its memory is reused
  PlaneControls* controls_;
  std::shared_ptr<const OpenRun> run_;
  mutable bool behind_ = false;  // the scene does not show run_ yet
  Background matching_;
  QPointF pressed_;
  QPointF dragged_to_;
  bool armed_ = false;  // the left button was pressed here
  bool dragging_ = false;
};

}  // namespace mansard::gui
