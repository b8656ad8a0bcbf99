// SPDX-License-Identifier: Apache-2.0
// Everything a plane shows, in pixels. When the run, the filter, the options, the size or the zoom
// change it is only marked as stale: settle() computes it again, once, before painting or the mouse
// read it.
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

  // The same file once more keeps the zoom, even with nothing in between.
  void set_run(std::shared_ptr<const analysis::RunAnalysis> run);
  void set_baseline(std::shared_ptr<const PlaneBaseline> baseline);  // of that run; null: none
  void set_options(PlaneOptions options);
  void set_shown(std::shared_ptr<const ShownLaunches> shown) {
    shown_ = std::move(shown);
    outdate(Stale::shown);
  }
  // `log_factor`: of one launch of the row, see launch_factor(); none: the row as a whole.
  void set_selected(std::optional<std::size_t> row, std::optional<float> log_factor = {});
  void set_size(QSizeF size, const QFontMetricsF& metrics);
  void set_controls(QSizeF size);  // what the view keeps for its controls in the upper right corner

  void zoom(double factor_x, double factor_y, figure::Point at);
  void pan(double dx_px, double dy_px);
  void reset_zoom();
  // What lies where, below, is as it was at the last call of this.
  void settle();

  PlaneKind kind() const { return kind_; }
  const analysis::RunAnalysis* run() const { return run_.get(); }
  const figure::PlaneFigure& figure() const { return figure_; }
  const PlaneBaseline* baseline() const { return baseline_.get(); }
  const PlaneOptions& options() const { return options_; }
  const ShownLaunches& shown() const { return *shown_; }
  // Grows with whatever moves points: what was made of an older one is to be made again.
  quint64 version() const { return version_; }

  // Where everything lies. Lines extend to wherever one has panned or zoomed: the figure's, then
  // those of other machines.
  const figure::PlaneLayout& layout() const { return layout_; }
  const figure::Rect& plot() const { return layout_.plot; }
  const figure::LogScale& x() const { return layout_.x; }
  const figure::LogScale& y() const { return layout_.y; }
  const std::vector<figure::PlaneLine>& lines() const { return layout_.lines; }
  bool of_other_machine(std::size_t line) const { return line >= layout_.own_lines; }
  // None where the figure has no choice of tiers.
  std::optional<MemoryLevel> level() const { return layout_.level; }
  // The tiers for which the run has points.
  const std::vector<MemoryLevel>& levels() const { return figure_.levels; }
  // Whether the marks of kernels are drawn, and launches as density.
  bool shows_kernels() const { return !has_density() || options_.marks != PlaneMarks::launches; }
  bool shows_launches() const { return has_density() && options_.marks != PlaneMarks::kernels; }
  // In some planes a launch lies where its row does, however long it takes.
  bool has_density() const { return figure_.launch_x != 0 || figure_.launch_y != 0; }

  // Draws the layout into `out`, with rings around the selected and the hovered row, and the
  // launches as `density` (null: not shown).
  void draw(figure::Drawing& out, std::optional<std::size_t> hovered,
            std::shared_ptr<const figure::Raster> density = {}) const;
  // Why there is nothing to see, else empty.
  QString sentence() const { return empty_sentence(figure_, kind_, run_.get(), *shown_); }

  figure::Point position(const figure::PlanePoint& point) const {
    return place({point.x, point.y}, figure_, x(), y(), plot());
  }
  figure::Point position(const figure::PlanePosition& at) const {
    return place(at, figure_, x(), y(), plot());
  }
  // A row's point at a tier; null when it has none.
  const figure::PlanePoint* point_of(std::size_t row,
                                     const std::optional<MemoryLevel>& level) const {
    return points_of_rows_.find(figure_, row, level);
  }
  double radius_of(std::size_t row) const { return figure::mark_radius(shown_->share(row)); }
  // By row; see LaunchPlace. Reuses the memory of `out`.
  void launch_places(std::vector<figure::LaunchPlace>& out) const;
  // The precisions that the run computes in.
  const std::set<Precision>& used() const { return used_; }
  bool prominent(const figure::PlaneLine& line) const { return is_prominent(line, level(), used_); }

 private:
  // What is to be computed again: each with all before it.
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
  std::string mark_name(const figure::Mark& mark) const;
  std::optional<figure::Point> selected_launch() const;

  PlaneKind kind_;
  std::shared_ptr<const analysis::RunAnalysis> run_;
  std::filesystem::path file_;  // of the last run
  std::shared_ptr<const PlaneBaseline> baseline_;
  std::shared_ptr<const ShownLaunches> shown_ = std::make_shared<ShownLaunches>();
  PlaneOptions options_;
  figure::PlaneFigure figure_;
  figure::PointsOfRows points_of_rows_;
  std::vector<OtherCeilings> others_;
  std::vector<analysis::OperationClass> classes_;  // those with points, by falling time
  std::set<Precision> used_;
  figure::PointColumns points_;        // at the tier
  std::vector<std::uint32_t> rows_;    // of points_
  figure::PointColumns shown_points_;  // those that pass the filter
  figure::PointColumns hidden_points_;
  figure::PointColumns baseline_points_;

  QSizeF controls_;
  QFontMetricsF metrics_;
  bool whole_ = true;  // neither zoomed nor panned
  Stale stale_ = Stale::nothing;
  quint64 version_ = 0;
  figure::PlaneLayout layout_;
  std::optional<std::size_t> selected_;
  std::optional<float> selected_factor_;
};

}  // namespace mansard::gui
