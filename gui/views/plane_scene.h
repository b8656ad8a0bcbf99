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
#include "gui/views/selection_overlay.h"
#include "reports/figure/arrow.h"
#include "reports/figure/launch_density.h"
#include "reports/figure/line_labels.h"
#include "reports/figure/mark_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/points_of_rows.h"

namespace mansard::gui {

// A class above the plot, which can be clicked.
struct ClassKey {
  std::string operation_class;
  figure::Rect area;
};

// What became of a kernel of the baseline.
enum class Change { slower, faster, none };

struct PlaneArrow {
  figure::Arrow arrow;
  Change change = Change::none;
};

class PlaneScene {
 public:
  explicit PlaneScene(PlaneKind kind);

  // The same file once more keeps the zoom, even with nothing in between.
  void set_run(std::shared_ptr<const analysis::RunAnalysis> run);
  void set_baseline(std::shared_ptr<const PlaneBaseline> baseline);  // of that run; null: none
  void set_options(PlaneOptions options);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);
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

  // The lines that are drawn, going on to wherever one has panned or zoomed: the figure's, then
  // those of other machines.
  const std::vector<figure::PlaneLine>& lines() const { return lines_; }
  bool of_other_machine(std::size_t line) const { return line >= own_lines_; }
  // None where the figure has no choice of tiers.
  std::optional<MemoryLevel> level() const { return level_; }
  // The tiers for which the run has points.
  const std::vector<MemoryLevel>& levels() const { return figure_.levels; }
  // Whether the marks of kernels are drawn, and launches as density.
  bool shows_kernels() const { return !has_density() || options_.marks != PlaneMarks::launches; }
  bool shows_launches() const { return has_density() && options_.marks != PlaneMarks::kernels; }
  // In some planes a launch lies where its row does, however long it takes.
  bool has_density() const { return figure_.launch_x != 0 || figure_.launch_y != 0; }

  QSizeF size() const { return size_; }
  const figure::Rect& plot() const { return plot_; }
  const figure::LogScale& x() const { return x_; }
  const figure::LogScale& y() const { return y_; }
  const std::vector<figure::Mark>& marks() const { return marks_; }
  const std::vector<figure::Mark>& filtered_out() const { return filtered_out_; }
  // The classes of both, by Mark::group.
  const std::vector<std::string>& mark_classes() const { return points_.classes; }
  const std::vector<figure::Mark>& baseline_marks() const { return baseline_marks_; }
  const std::vector<PlaneArrow>& arrows() const { return arrows_; }
  const std::vector<figure::LineLabel>& line_labels() const { return line_labels_; }
  const std::vector<figure::RegionLabel>& region_labels() const { return region_labels_; }
  const std::vector<figure::MarkLabel>& mark_labels() const { return mark_labels_; }
  // Null when nothing is selected.
  const SelectionOverlay* selection() const { return selection_ ? &*selection_ : nullptr; }
  // Of the selected launch; none: no launch is, or it has no place.
  std::optional<figure::Point> selected_launch() const;
  QString mark_name(const figure::Mark& mark) const;
  const std::vector<ClassKey>& legend() const { return legend_; }
  // Says which marks are whose, beside the legend; empty without a baseline.
  const std::optional<figure::PlacedText>& baseline_key() const { return baseline_key_; }
  QString sentence() const;  // why there is nothing to see, else empty

  figure::Point position(const figure::PlanePoint& point) const {
    return place({point.x, point.y}, figure_, x_, y_, plot_);
  }
  figure::Point position(const figure::PlanePosition& at) const {
    return place(at, figure_, x_, y_, plot_);
  }
  // A row's point at a tier; null when it has none.
  const figure::PlanePoint* point_of(std::size_t row,
                                     const std::optional<MemoryLevel>& level) const {
    return points_of_rows_.find(figure_, row, level);
  }
  double radius_of(std::size_t row) const { return figure::mark_radius(shown_->share(row)); }
  // By row; see LaunchPlace.
  std::vector<figure::LaunchPlace> launch_places() const;
  // The precisions that the run computes in.
  const std::set<Precision>& used() const { return used_; }
  bool prominent(const figure::PlaneLine& line) const { return is_prominent(line, level_, used_); }

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
  figure::LaunchPlace launch_place(double log_x, double log_y) const;
  void lay_out();
  void lay_out_frame();
  void lay_out_legend();
  void lay_out_lines();
  void lay_out_marks();
  void lay_out_arrows();
  void lay_out_labels();
  void lay_out_overlay(std::vector<figure::OrientedBox>& labels);

  PlaneKind kind_;
  std::shared_ptr<const analysis::RunAnalysis> run_;
  std::filesystem::path file_;  // of the last run
  std::shared_ptr<const PlaneBaseline> baseline_;
  std::shared_ptr<const ShownLaunches> shown_ = std::make_shared<ShownLaunches>();
  PlaneOptions options_;
  figure::PlaneFigure figure_;
  figure::PointsOfRows points_of_rows_;
  std::vector<OtherCeilings> others_;
  std::vector<std::string> classes_;  // those with points, by falling time
  std::set<Precision> used_;
  std::optional<MemoryLevel> level_;
  figure::PointColumns points_;      // at the tier
  std::vector<std::uint32_t> rows_;  // of points_
  double log_floor_x_ = 0;           // base 10; -infinity: there is none
  double log_floor_y_ = 0;
  figure::PointColumns shown_points_;  // those that pass the filter
  figure::PointColumns hidden_points_;
  figure::PointColumns baseline_points_;

  QSizeF size_;
  QSizeF controls_;
  QFontMetricsF metrics_;
  figure::Rect plot_;
  figure::LogScale x_;
  figure::LogScale y_;
  bool whole_ = true;  // neither zoomed nor panned
  Stale stale_ = Stale::nothing;
  quint64 version_ = 0;
  std::vector<figure::PlaneLine> lines_;
  std::size_t own_lines_ = 0;
  std::vector<figure::Mark> marks_;
  std::vector<figure::Mark> filtered_out_;
  std::vector<figure::Mark> baseline_marks_;
  std::vector<PlaneArrow> arrows_;
  std::vector<figure::LineLabel> line_labels_;
  std::vector<figure::RegionLabel> region_labels_;
  std::optional<std::size_t> selected_;
  std::optional<float> selected_factor_;
  std::optional<SelectionOverlay> selection_;
  std::vector<figure::MarkLabel> mark_labels_;
  std::vector<ClassKey> legend_;
  std::optional<figure::PlacedText> baseline_key_;
};

}  // namespace mansard::gui
