// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_scene.h"

#include <QFont>
#include <QLocale>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "gui/views/plane_selection.h"

namespace mansard::gui {
namespace {

constexpr double kLegendGap_px = 18;
constexpr double kLegendMark_px = 20;
constexpr double kMarginGap_px = 20;  // between the plot and the names of compute ceilings
constexpr double kEdge_px = 14;
// Line labels avoid this many marks; more would fill the figure anyway.
constexpr std::size_t kMarksThatPushLabels = 60;
constexpr std::size_t kMaxArrows = 200;  // more would be unreadable

figure::MeasureText measure_by(const QFontMetricsF& metrics) {
  return [&metrics](std::string_view text) {
    return figure::TextSize{metrics.horizontalAdvance(to_qstring(text)), metrics.height()};
  };
}

// Change of the mean launch time; 1 % or less counts as unchanged.
figure::Change change_of(const analysis::KernelRow& before, const analysis::KernelRow& now) {
  const double a = before.time_s / static_cast<double>(std::max<std::int64_t>(before.launches, 1));
  const double b = now.time_s / static_cast<double>(std::max<std::int64_t>(now.launches, 1));
  if (!(std::fabs(b - a) > 0.01 * a)) return figure::Change::none;
  return b > a ? figure::Change::slower : figure::Change::faster;
}

void widen(figure::PlaneAxis& axis, double low, double high) {
  const bool whole = axis.first_min == axis.min && axis.first_max == axis.max;
  axis.min = std::min(axis.min, low);
  axis.max = std::max(axis.max, high);
  if (axis.floor > 0) axis.floor = axis.min;
  if (!whole) return;
  axis.first_min = axis.min;
  axis.first_max = axis.max;
}

}  // namespace

PlaneScene::PlaneScene(PlaneKind kind) : kind_(kind), metrics_(QFont()) { set_run(nullptr); }

void PlaneScene::set_run(std::shared_ptr<const analysis::RunAnalysis> run) {
  run_ = std::move(run);
  const bool again = !run_ || (!file_.empty() && run_->profile.file == file_);
  if (run_) file_ = run_->profile.file;
  baseline_.reset();
  selected_.reset();
  selected_factor_.reset();
  shown_ = std::make_shared<ShownLaunches>();
  if (!again) part_ = Part::first;
  collect_others();
  points_of_rows_ = figure::PointsOfRows(figure_, run_ ? run_->rows.size() : 0);
  collect_classes();
  choose_level();
  outdate(Stale::points);
}

void PlaneScene::outdate(Stale what) {
  stale_ = std::max(stale_, what);
  // Labels do not move points.
  if (what != Stale::labels) ++version_;
}

void PlaneScene::settle() {
  const Stale what = std::exchange(stale_, Stale::nothing);
  if (what >= Stale::points) collect_points();
  if (what >= Stale::shown) collect_shown();
  if (what >= Stale::layout) lay_out();
  if (what >= Stale::labels) lay_out_labels();
}

void PlaneScene::set_baseline(std::shared_ptr<const PlaneBaseline> baseline) {
  if (baseline == baseline_) return;
  baseline_ = std::move(baseline);
  collect_others();
  outdate(Stale::points);
}

void PlaneScene::set_options(PlaneOptions options) {
  const auto files = [](const PlaneOptions& o) {
    std::vector<QString> out;
    for (const PlaneMachine& machine : o.machines) out.push_back(machine.file);
    return out;
  };
  const bool other_machines = files(options) != files(options_);
  const bool other_level = options.level != options_.level;
  options_ = std::move(options);
  if (other_machines) collect_others();
  choose_level();
  outdate(other_machines || other_level ? Stale::points : Stale::layout);
}

void PlaneScene::set_selected(std::optional<std::size_t> row, std::optional<float> log_factor) {
  selected_ = row && run_ && *row < run_->rows.size() ? row : std::nullopt;
  selected_factor_ = selected_ ? log_factor : std::nullopt;
  outdate(Stale::labels);
}

void PlaneScene::collect_classes() {
  std::map<analysis::OperationClass, double> class_time;
  // Points of a row are adjacent, and rows of a class often are.
  auto last = class_time.end();
  for (const figure::PlanePoint& p : figure_.points) {
    if (last == class_time.end() || last->first != p.operation_class) {
      last = class_time.try_emplace(p.operation_class, 0).first;
    }
    last->second += p.share;
  }
  classes_.clear();
  for (const auto& [c, time] : class_time) classes_.push_back(c);
  std::ranges::stable_sort(classes_, std::greater<>{},
                           [&](analysis::OperationClass c) { return class_time.at(c); });
}

// Builds the figure, and adds the lines and limits of other machines.
void PlaneScene::collect_others() {
  const roofline::DeviceModel* machine = run_ && run_->machine ? &*run_->machine : nullptr;
  figure_ = layout_plane(kind_, machine, run_.get());
  const kernels::Target target = machine != nullptr            ? machine->device.target
                                 : run_ && !run_->rows.empty() ? run_->rows.front().target
                                                               : kernels::Target::cuda;
  others_.clear();
  for (const PlaneMachine& other : options_.machines) {
    others_.push_back(
        other_ceilings(kind_, device_for(*other.model, target), other.name, run_.get()));
  }
  if (baseline_ && baseline_->ceilings) others_.push_back(*baseline_->ceilings);
  for (const OtherCeilings& other : others_) {
    if (other.lines.empty()) continue;
    widen(figure_.x, other.x_min, other.x_max);
    widen(figure_.y, other.y_min, other.y_max);
  }
  if (baseline_ && !baseline_->figure.points.empty()) {
    widen(figure_.x, baseline_->figure.x.min, baseline_->figure.x.max);
    widen(figure_.y, baseline_->figure.y.min, baseline_->figure.y.max);
  }
}

void PlaneScene::choose_level() {
  const auto& levels = figure_.levels;
  const bool chosen = options_.level && std::ranges::find(levels, *options_.level) != levels.end();
  layout_.level = chosen ? options_.level : figure::first_level(figure_);
}

void PlaneScene::collect_points() {
  points_ = figure::columns_of(figure_, [this](const figure::PlanePoint& p) {
    return figure::holds_at(p.level, layout_.level);
  });
  rows_.clear();
  for (const std::uint32_t i : points_.point) {
    rows_.push_back(static_cast<std::uint32_t>(figure_.points[i].row));
  }
}

// Applies the filter to the points, and computes their shares of the shown time.
void PlaneScene::collect_shown() {
  shown_points_ = {};
  hidden_points_ = {};
  shown_points_.classes = hidden_points_.classes = points_.classes;
  shown_points_.rates_at_edge = hidden_points_.rates_at_edge = points_.rates_at_edge;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const bool passes = shown_->shows(rows_[i]);
    figure::PointColumns& to = passes ? shown_points_ : hidden_points_;
    to.log_x.push_back(points_.log_x[i]);
    to.log_y.push_back(points_.log_y[i]);
    to.share.push_back(passes ? shown_->share(rows_[i]) : points_.share[i]);
    to.point.push_back(points_.point[i]);
    to.group.push_back(points_.group[i]);
  }
  collect_baseline();
}

// A baseline kernel passes if its match in the run does; unmatched ones pass only without a filter.
void PlaneScene::collect_baseline() {
  baseline_points_ = {};
  if (!baseline_) return;
  baseline_points_ = figure::columns_of(baseline_->figure, [this](const figure::PlanePoint& p) {
    const auto row = baseline_->matches.in_run(p.row);
    return figure::holds_at(p.level, layout_.level) && (row ? shown_->shows(*row) : shown_->all());
  });
}

void PlaneScene::set_size(QSizeF size, const QFontMetricsF& metrics) {
  layout_.width = size.width();
  layout_.height = size.height();
  layout_.line_px = metrics.height();
  metrics_ = metrics;
  outdate(Stale::layout);
}

void PlaneScene::set_controls(QSizeF size) {
  if (size == controls_) return;
  controls_ = size;
  outdate(Stale::layout);
}

void PlaneScene::zoom(double factor_x, double factor_y, figure::Point at) {
  settle();
  layout_.x = layout_.x.zoomed(factor_x, at.x);
  layout_.y = layout_.y.zoomed(factor_y, at.y);
  part_ = Part::chosen;
  outdate(Stale::layout);
}

void PlaneScene::pan(double dx_px, double dy_px) {
  settle();
  layout_.x = layout_.x.panned(dx_px);
  layout_.y = layout_.y.panned(dy_px);
  part_ = Part::chosen;
  outdate(Stale::layout);
}

void PlaneScene::reset_zoom() {
  part_ = Part::first;
  outdate(Stale::layout);
}

void PlaneScene::show_all() {
  part_ = Part::all;
  outdate(Stale::layout);
}

void PlaneScene::lay_out() {
  const auto show = [&](figure::LogScale& scale, const figure::PlaneAxis& axis) {
    const bool all = part_ == Part::all;
    scale = figure::LogScale(all ? axis.min : axis.first_min, all ? axis.max : axis.first_max,
                             scale.pixel_min(), scale.pixel_max());
  };
  if (part_ != Part::chosen) {
    show(layout_.x, figure_.x);
    show(layout_.y, figure_.y);
  }
  lay_out_frame();
  lay_out_lines();
  lay_out_marks();
  lay_out_arrows();
}

void PlaneScene::lay_out_frame() {
  const double line_px = layout_.line_px;
  const figure::MeasureText measure = measure_by(metrics_);
  double names_px = 0;
  const auto reserve = [&](const figure::PlaneLine& line) {
    if (line.label_place != figure::LabelPlace::margin || !is_shown(line, options_, layout_.level))
      return;
    names_px = std::max(names_px, measure(line.label).width);
  };
  for (const figure::PlaneLine& line : figure_.lines) reserve(line);
  for (const OtherCeilings& other : others_) {
    for (const figure::PlaneLine& line : other.lines) {
      if (prominent(line)) reserve(line);
    }
  }
  // Reserve room for tick labels at any zoom, so that the plot does not move while zooming.
  const double ticks_px = metrics_.horizontalAdvance(QStringLiteral("88.888 M"));
  // Whole pixels, to align with the density raster.
  layout_.plot.left = std::floor(1.6 * line_px + ticks_px + 8);
  // The right margin contains line names, or half of the last tick label.
  const double beside_px = names_px > 0 ? names_px + kMarginGap_px : ticks_px / 3;
  layout_.plot.right = layout_.width - beside_px - kEdge_px;
  lay_out_legend();
  layout_.plot.bottom = layout_.height - 3 * line_px;
  // A window too small for its margins still has a plot of one pixel.
  layout_.plot.right = std::max(layout_.plot.right, layout_.plot.left + 1);
  layout_.plot.bottom = std::max(layout_.plot.bottom, layout_.plot.top + 1);
  layout_.x = layout_.x.resized(layout_.plot.left, layout_.plot.right);
  layout_.y = layout_.y.resized(layout_.plot.bottom, layout_.plot.top);
}

// The legend is beside the controls, and may use the full width below them.
void PlaneScene::lay_out_legend() {
  const double line_px = layout_.line_px;
  const figure::MeasureText measure = measure_by(metrics_);
  double x = layout_.plot.left;
  double y = 0.4 * line_px;
  const auto next = [&](double width) {
    const double right =
        layout_.width - kEdge_px - (y < controls_.height() ? controls_.width() : 0);
    if (x > layout_.plot.left && x + width > right) {
      x = layout_.plot.left;
      y += 1.3 * line_px;
    }
    const figure::Rect area{x, y, x + width, y + line_px};
    x += width + kLegendGap_px;
    return area;
  };
  layout_.legend.clear();
  for (const analysis::OperationClass c : classes_) {
    layout_.legend.push_back({c, next(kLegendMark_px + measure(c.name()).width)});
  }
  layout_.baseline_key.reset();
  if (baseline_) {
    constexpr qsizetype kTitleLength = 40;
    QString title = baseline_->name;
    if (title.size() > kTitleLength) title = title.left(kTitleLength - 1) + QChar(0x2026);
    const std::string text = QObject::tr("from %1 to this run").arg(title).toStdString();
    const double sample_px = 3.2 * kLegendMark_px;
    const figure::Rect area = next(sample_px + measure(text).width);
    layout_.baseline_key = figure::PlacedText{text, area, figure::TextAnchor::end};
  }
  const bool any = !layout_.legend.empty() || layout_.baseline_key;
  layout_.plot.top =
      std::ceil(std::max(y + (any ? 1.6 : 0.4) * line_px, controls_.height() + 0.3 * line_px));
}

void PlaneScene::lay_out_lines() {
  layout_.lines.clear();
  for (const figure::PlaneLine& line : figure_.lines) {
    if (is_shown(line, options_, layout_.level))
      layout_.lines.push_back(figure::extended(line, layout_.x, layout_.y));
  }
  layout_.own_lines = layout_.lines.size();
  for (const OtherCeilings& other : others_) {
    for (const figure::PlaneLine& line : other.lines) {
      if (is_shown(line, options_, layout_.level) && prominent(line)) {
        layout_.lines.push_back(figure::extended(line, layout_.x, layout_.y));
      }
    }
  }
  layout_.prominent.clear();
  for (const figure::PlaneLine& line : layout_.lines) {
    layout_.prominent.push_back(prominent(line));
  }
}

void PlaneScene::lay_out_marks() {
  layout_.classes = points_.classes;
  layout_.open_marks = shows_launches();
  layout_.baseline = baseline_ ? &baseline_->figure : nullptr;
  layout_.marks.clear();
  layout_.filtered_out.clear();
  if (shows_kernels()) {
    layout_.marks = figure::layout_marks(shown_points_, layout_.x, layout_.y, layout_.plot);
    layout_.filtered_out = figure::layout_marks(hidden_points_, layout_.x, layout_.y, layout_.plot);
  }
  layout_.beyond.clear();
  if (shows_kernels()) {
    layout_.beyond = figure::place_beyond(
        figure::count_beyond(shown_points_, layout_.x, layout_.y, layout_.plot), layout_.plot,
        measure_by(metrics_));
  }
  layout_.baseline_marks =
      figure::layout_marks(baseline_points_, layout_.x, layout_.y, layout_.plot);
}

void PlaneScene::lay_out_arrows() {
  layout_.arrows.clear();
  if (!baseline_) return;
  for (const figure::Mark& mark : layout_.baseline_marks) {
    if (layout_.arrows.size() == kMaxArrows) return;
    const std::size_t theirs = baseline_->figure.points[mark.point].row;
    const auto row = baseline_->matches.in_run(theirs);
    const figure::PlanePoint* point = row ? point_of(*row, layout_.level) : nullptr;
    if (point == nullptr) continue;
    const auto arrow =
        figure::place_arrow(mark.center, mark.radius, position(*point), radius_of(point->row));
    if (!arrow) continue;
    layout_.arrows.push_back(
        {*arrow, change_of(baseline_->run->analysis.rows[theirs], run_->rows[*row])});
  }
}

void PlaneScene::lay_out_labels() {
  std::vector<figure::OrientedBox> obstacles;
  const auto avoid = [&](figure::Point center, double radius) {
    obstacles.push_back({center, 2 * radius, 2 * radius, 0});
  };
  for (const figure::Mark& m : layout_.marks) {
    if (obstacles.size() >= kMarksThatPushLabels) break;
    avoid(m.center, m.radius);
    const auto& ideal = figure_.points[m.point].ideal;
    if (ideal) avoid(position(*ideal), figure::kIdealRadius_px);
  }
  const figure::MeasureText measure = measure_by(metrics_);
  layout_.region_labels = figure::place_region_labels(figure_.regions, layout_.plot, measure);
  std::vector<figure::OrientedBox> labels;
  for (const figure::RegionLabel& label : layout_.region_labels) labels.push_back(label.box);
  for (const figure::NamedBox& beyond : layout_.beyond) labels.push_back(beyond.box);
  layout_.line_labels =
      figure::place_line_labels(layout_.lines, layout_.x, layout_.y,
                                {.plot = layout_.plot,
                                 .margin_left = layout_.plot.right + kMarginGap_px,
                                 .labels = labels,
                                 .obstacles = obstacles},
                                measure);
  lay_out_selection(labels);

  for (const figure::Mark& mark : layout_.baseline_marks) {
    if (labels.size() >= kMarksThatPushLabels) break;
    labels.push_back({mark.center, 2 * mark.radius, 2 * mark.radius, 0});
  }
  figure::name_marks(layout_, figure_, std::move(labels), measure);
}

// Adds the boxes of all labels to those of the regions. Line names that overlap the caption are
// dropped: it has no other position.
void PlaneScene::lay_out_selection(std::vector<figure::OrientedBox>& labels) {
  for (const figure::LineLabel& label : layout_.line_labels) labels.push_back(label.box);
  layout_.selection.reset();
  if (!selected_) return;
  layout_.selection = gui::lay_out_selection(
      {*run_, *selected_, figure_, points_of_rows_.of(*selected_)}, layout_, metrics_, labels);
  layout_.selection->launch = selected_launch();
  for (const figure::NamedBox& name : {layout_.selection->name, layout_.selection->caption}) {
    std::erase_if(layout_.line_labels, [&](const figure::LineLabel& label) {
      return figure::overlap(label.box, name.box);
    });
  }
}

void PlaneScene::draw(figure::Drawing& out, std::optional<std::size_t> hovered,
                      std::shared_ptr<const figure::Raster> density) const {
  figure::PlaneOverlay overlay;
  const auto ring = [&](const std::optional<std::size_t>& row, bool is_selected) {
    const figure::PlanePoint* point = row ? point_of(*row, layout_.level) : nullptr;
    if (point == nullptr) return;
    overlay.rings.push_back({position(*point), radius_of(*row) + 4, is_selected});
  };
  ring(hovered, false);
  ring(selected_, true);
  if (shows_launches() && run_ && !density) {
    overlay.notice = QObject::tr("Computing the density of %1 launches ...")
                         .arg(QLocale::c().toString(static_cast<qlonglong>(shown_->total_launches)))
                         .toStdString();
  }
  overlay.density = std::move(density);
  figure::draw_plane(out, figure_, layout_, measure_by(metrics_), overlay);
}

void PlaneScene::launch_places(std::vector<figure::LaunchPlace>& out) const {
  out.assign(run_ ? run_->rows.size() : 0, {});
  const figure::LaunchPlacer placer(figure_, layout_.x, layout_.y, layout_.plot);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    out[rows_[i]] = placer.at(points_.log_x[i], points_.log_y[i]);
  }
}

std::optional<figure::Point> PlaneScene::selected_launch() const {
  if (!selected_factor_ || !std::isfinite(*selected_factor_)) return std::nullopt;
  const auto found = std::ranges::find(rows_, *selected_);
  if (found == rows_.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(found - rows_.begin());
  const figure::LaunchPlacer placer(figure_, layout_.x, layout_.y, layout_.plot);
  const figure::LaunchPlace at = placer.at(points_.log_x[i], points_.log_y[i]);
  return figure::Point{layout_.plot.left + at.x + at.dx * *selected_factor_,
                       layout_.plot.top + at.y + at.dy * *selected_factor_};
}

}  // namespace mansard::gui
