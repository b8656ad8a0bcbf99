// SPDX-License-Identifier: Apache-2.0
// The contents of a plane in pixels. A change of run, filter, options, size or zoom only marks it
// as stale; settle() recomputes it once, before it is painted or queried.
#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <QString>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gui/models/shown_launches.h"
#include "gui/views/plane_baseline.h"
#include "gui/views/plane_ceilings.h"
#include "reports/figure/launch_density.h"
#include "reports/figure/plane_layout.h"
#include "reports/figure/points_of_rows.h"

namespace mansard::gui {

class PlaneScene {
 public:
  explicit PlaneScene(PlaneKind kind);

  // Loading the same file again keeps the zoom, even if a null run was set in between.
  void set_run(std::shared_ptr<const analysis::RunAnalysis> run);
  void set_baseline(std::shared_ptr<const PlaneBaseline> baseline);  // for that run; null: none
  void set_options(PlaneOptions options);
  void set_shown(std::shared_ptr<const ShownLaunches> shown) {
    shown_ = std::move(shown);
    outdate(Stale::shown);
  }
  // `log_factor`: of one launch of the row, see launch_factor(); empty: the whole row.
  void set_selected(std::optional<std::size_t> row, std::optional<float> log_factor = {});
  void set_size(QSizeF size, const QFontMetricsF& metrics);
  void set_controls(QSizeF size);  // size reserved for the controls in the upper right corner

  void zoom(double factor_x, double factor_y, figure::Point at);
  void pan(double dx_px, double dy_px);
  void reset_zoom();  // to the part that is shown first
  void show_all();    // all decades
  // Recomputes the layout. The positions below are those of the last call.
  void settle();

  PlaneKind kind() const { return kind_; }
  const analysis::RunAnalysis* run() const { return run_.get(); }
  const figure::PlaneFigure& figure() const { return figure_; }
  const PlaneBaseline* baseline() const { return baseline_.get(); }
  const PlaneOptions& options() const { return options_; }
  const ShownLaunches& shown() const { return *shown_; }
  // Incremented whenever points move: results for an older version are out of date.
  quint64 version() const { return version_; }

  // The layout. Lines extend to the visible area after zooming or panning: the figure's lines
  // first, then those of other machines.
  const figure::PlaneLayout& layout() const { return layout_; }
  const figure::Rect& plot() const { return layout_.plot; }
  const figure::LogScale& x() const { return layout_.x; }
  const figure::LogScale& y() const { return layout_.y; }
  const std::vector<figure::PlaneLine>& lines() const { return layout_.lines; }
  bool of_other_machine(std::size_t line) const { return line >= layout_.own_lines; }
  // Empty if the figure has no choice of memory tiers.
  std::optional<MemoryLevel> level() const { return layout_.level; }
  // Memory tiers for which the run has points.
  const std::vector<MemoryLevel>& levels() const { return figure_.levels; }
  // Whether kernel marks, and the density of launches, are drawn.
  bool shows_kernels() const { return !has_density() || options_.marks != PlaneMarks::launches; }
  bool shows_launches() const { return has_density() && options_.marks != PlaneMarks::kernels; }
  // False for planes in which a launch's duration does not change its position.
  bool has_density() const { return figure_.launch_x != 0 || figure_.launch_y != 0; }

  // Draws the layout into `out`, with rings around the selected and hovered rows, and the launches
  // as `density` (null: not shown).
  void draw(figure::Drawing& out, std::optional<std::size_t> hovered,
            std::shared_ptr<const figure::Raster> density = {}) const;
  // Why the plane is empty; empty string if it is not.
  QString sentence() const { return empty_sentence(figure_, kind_, run_.get(), *shown_); }

  figure::Point position(const figure::PlanePoint& point) const {
    return place({point.x, point.y}, figure_, x(), y(), plot());
  }
  figure::Point position(const figure::PlanePosition& at) const {
    return place(at, figure_, x(), y(), plot());
  }
  // A row's point at a memory tier; null if it has none.
  const figure::PlanePoint* point_of(std::size_t row,
                                     const std::optional<MemoryLevel>& level) const {
    return points_of_rows_.find(figure_, row, level);
  }
  double radius_of(std::size_t row) const { return figure::mark_radius(shown_->share(row)); }
  // One entry per row; see LaunchPlace. Reuses the memory of `out`.
  void launch_places(std::vector<figure::LaunchPlace>& out) const;
  // Precisions used by the run.
  const std::set<Precision>& used() const { return figure_.used; }
  bool prominent(const figure::PlaneLine& line) const {
    return figure::is_prominent(line, level(), used());
  }

 private:
  // Extent of a recomputation. Each value includes those before it.
  enum class Stale { nothing, labels, layout, shown, points };
  void outdate(Stale what);

  void choose_level();
  void collect_classes();
  void collect_others();
  void collect_points();
  void collect_shown();
  void collect_baseline();
  void lay_out();
  void lay_out_frame();
  void lay_out_legend();
  void lay_out_lines();
  void lay_out_marks();
  void lay_out_arrows();
  void lay_out_labels();
  void lay_out_selection(std::vector<figure::OrientedBox>& labels);
  std::optional<figure::Point> selected_launch() const;

  PlaneKind kind_;
  std::shared_ptr<const analysis::RunAnalysis> run_;
  std::filesystem::path file_;  // file of the last run
  std::shared_ptr<const PlaneBaseline> baseline_;
  std::shared_ptr<const ShownLaunches> shown_ = std::make_shared<ShownLaunches>();
  PlaneOptions options_;
  figure::PlaneFigure figure_;
  figure::PointsOfRows points_of_rows_;
  std::vector<OtherCeilings> others_;
  std::vector<analysis::OperationClass> classes_;  // classes with points, by descending time
  figure::PointColumns points_;                    // at the chosen memory tier
  std::vector<std::uint32_t> rows_;                // row of each entry in points_
  figure::PointColumns shown_points_;              // points that pass the filter
  figure::PointColumns hidden_points_;
  figure::PointColumns baseline_points_;

  QSizeF controls_;
  QFontMetricsF metrics_;
  enum class Part { first, all, chosen };
  Part part_ = Part::first;  // chosen: zoomed or panned
  Stale stale_ = Stale::nothing;
  quint64 version_ = 0;
  figure::PlaneLayout layout_;
  std::optional<std::size_t> selected_;
  std::optional<float> selected_factor_;
};

}  // namespace mansard::gui
