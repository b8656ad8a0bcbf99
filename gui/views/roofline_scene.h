// SPDX-License-Identifier: Apache-2.0
// Everything the roofline view shows, in pixels, recomputed when the run, the filter, the size or
// the zoom changes. Painting and the mouse only read it.
#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <QString>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gui/models/shown_launches.h"
#include "gui/views/selection_overlay.h"
#include "reports/figure/line_labels.h"
#include "reports/figure/mark_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/plane_figure.h"

namespace mansard {

struct LegendItem {
  std::string operation_class;
  Rect area;
};

class RooflineScene {
 public:
  RooflineScene();

  void set_run(std::shared_ptr<const RunAnalysis> run);  // shows the tier of main memory first
  void set_level(MemoryLevel level);
  void set_shown(const ShownLaunches& shown);  // rows without any are drawn as outlines
  void set_selected(std::optional<std::size_t> row);
  void set_size(QSizeF size, const QFontMetricsF& metrics);

  void zoom(double factor_x, double factor_y, Point at);
  void pan(double dx_px, double dy_px);
  void reset_zoom();

  const RunAnalysis* run() const { return run_.get(); }
  const PlaneFigure& figure() const { return figure_; }
  // The figure's lines, going on to wherever one has panned or zoomed.
  const std::vector<PlaneLine>& lines() const { return lines_; }
  MemoryLevel level() const { return level_; }
  // The tiers for which the run has points.
  const std::vector<MemoryLevel>& levels() const { return figure_.levels; }
  QSizeF size() const { return size_; }
  const Rect& plot() const { return plot_; }
  const LogScale& x() const { return x_; }
  const LogScale& y() const { return y_; }
  const std::vector<Mark>& marks() const { return marks_; }
  const std::vector<Mark>& filtered_out() const { return filtered_out_; }
  const std::vector<LineLabel>& line_labels() const { return line_labels_; }
  const std::vector<MarkLabel>& mark_labels() const { return mark_labels_; }
  // Null when nothing is selected.
  const SelectionOverlay* selection() const { return selection_ ? &*selection_ : nullptr; }
  QString mark_name(const Mark& mark) const;
  const std::vector<LegendItem>& legend() const { return legend_; }

  Point position(const PlanePoint& point) const {
    return place({point.x, point.y}, figure_, x_, y_, plot_);
  }
  // A row's point at a tier; null when it has none.
  const PlanePoint* point_of(std::size_t row, MemoryLevel level) const;
  // Whether the run computes in a precision: such ceilings stand out.
  bool uses(Precision precision) const { return used_.contains(precision); }

 private:
  void lay_out();
  void lay_out_frame();
  void lay_out_lines();
  void lay_out_marks();
  void lay_out_labels();

  std::shared_ptr<const RunAnalysis> run_;
  PlaneFigure figure_;
  std::vector<PlaneLine> lines_;      // its lines, as long as the view needs them
  std::vector<std::string> classes_;  // those with points, by falling time
  std::set<Precision> used_;
  MemoryLevel level_ = MemoryLevel::hbm;
  std::vector<bool> matches_;  // the filter, by row

  QSizeF size_;
  QFontMetricsF metrics_;
  Rect plot_;
  LogScale x_;
  LogScale y_;
  std::vector<Mark> marks_;
  std::vector<Mark> filtered_out_;
  std::vector<LineLabel> line_labels_;
  std::optional<std::size_t> selected_;
  std::optional<SelectionOverlay> selection_;
  std::vector<MarkLabel> mark_labels_;
  std::vector<LegendItem> legend_;
};

}  // namespace mansard
