// SPDX-License-Identifier: Apache-2.0
// Where everything of a plane lies.
#include <QObject>
#include <algorithm>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/plane_scene.h"

namespace mansard::gui {
namespace {

constexpr double kLegendGap_px = 18;
constexpr double kLegendMark_px = 20;
constexpr double kMarginGap_px = 20;  // between the plot and the names of compute ceilings
constexpr double kEdge_px = 14;
constexpr std::size_t kNamedMarks = 16;
// Labels of lines give way to this many marks; more would fill the figure anyway.
constexpr std::size_t kMarksThatPushLabels = 60;
constexpr std::size_t kMostArrows = 200;  // more cannot be followed

figure::TextSize text_size(const QFontMetricsF& metrics, std::string_view text) {
  return {metrics.horizontalAdvance(to_qstring(text)), metrics.height()};
}

// Of the mean launch; a hundredth is none.
Change change_of(const analysis::KernelRow& before, const analysis::KernelRow& now) {
  const double a = before.time_s / static_cast<double>(std::max<std::int64_t>(before.launches, 1));
  const double b = now.time_s / static_cast<double>(std::max<std::int64_t>(now.launches, 1));
  if (!(std::fabs(b - a) > 0.01 * a)) return Change::none;
  return b > a ? Change::slower : Change::faster;
}

}  // namespace

void PlaneScene::set_size(QSizeF size, const QFontMetricsF& metrics) {
  size_ = size;
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
  x_ = x_.zoomed(factor_x, at.x);
  y_ = y_.zoomed(factor_y, at.y);
  whole_ = false;
  outdate(Stale::layout);
}

void PlaneScene::pan(double dx_px, double dy_px) {
  settle();
  x_ = x_.panned(dx_px);
  y_ = y_.panned(dy_px);
  whole_ = false;
  outdate(Stale::layout);
}

void PlaneScene::reset_zoom() {
  whole_ = true;
  outdate(Stale::layout);
}

void PlaneScene::lay_out() {
  if (whole_) {
    x_ = figure::LogScale(figure_.x.min, figure_.x.max, x_.pixel_min(), x_.pixel_max());
    y_ = figure::LogScale(figure_.y.min, figure_.y.max, y_.pixel_min(), y_.pixel_max());
  }
  lay_out_frame();
  lay_out_lines();
  lay_out_marks();
  lay_out_arrows();
}

void PlaneScene::lay_out_frame() {
  const double line_px = metrics_.height();
  double names_px = 0;
  const auto reserve = [&](const figure::PlaneLine& line) {
    if (line.label_place != figure::LabelPlace::margin || !is_shown(line, options_, level_)) return;
    names_px = std::max(names_px, text_size(metrics_, line.label).width);
  };
  for (const figure::PlaneLine& line : figure_.lines) reserve(line);
  for (const OtherCeilings& other : others_) {
    for (const figure::PlaneLine& line : other.lines) {
      if (prominent(line)) reserve(line);
    }
  }
  // Ticks of any zoom fit, so that the plot keeps its place while one zooms.
  const double ticks_px = metrics_.horizontalAdvance(QStringLiteral("88.888 M"));
  // Whole pixels, which are those of the density.
  plot_.left = std::floor(1.6 * line_px + ticks_px + 8);
  // Beside the plot are the names of lines, or half of the last tick's.
  const double beside_px = names_px > 0 ? names_px + kMarginGap_px : ticks_px / 3;
  plot_.right = size_.width() - beside_px - kEdge_px;
  lay_out_legend();
  plot_.bottom = size_.height() - 3 * line_px;
  // A window too small for its margins still has a plot of one pixel.
  plot_.right = std::max(plot_.right, plot_.left + 1);
  plot_.bottom = std::max(plot_.bottom, plot_.top + 1);
  x_ = x_.resized(plot_.left, plot_.right);
  y_ = y_.resized(plot_.bottom, plot_.top);
}

// Beside the controls, and below them as wide as the figure.
void PlaneScene::lay_out_legend() {
  const double line_px = metrics_.height();
  double x = plot_.left;
  double y = 0.4 * line_px;
  const auto next = [&](double width) {
    const double right =
        size_.width() - kEdge_px - (y < controls_.height() ? controls_.width() : 0);
    if (x > plot_.left && x + width > right) {
      x = plot_.left;
      y += 1.3 * line_px;
    }
    const figure::Rect area{x, y, x + width, y + line_px};
    x += width + kLegendGap_px;
    return area;
  };
  legend_.clear();
  for (const std::string& name : classes_) {
    legend_.push_back({name, next(kLegendMark_px + text_size(metrics_, name).width)});
  }
  baseline_key_.reset();
  if (baseline_) {
    constexpr qsizetype kTitleLength = 40;
    QString title = baseline_->name;
    if (title.size() > kTitleLength) title = title.left(kTitleLength - 1) + QChar(0x2026);
    const std::string text = QObject::tr("%1 to this run").arg(title).toStdString();
    const double sample_px = 3.2 * kLegendMark_px;
    const figure::Rect area = next(sample_px + text_size(metrics_, text).width);
    baseline_key_ = figure::PlacedText{text, area, figure::TextAnchor::end};
  }
  const bool any = !legend_.empty() || baseline_key_;
  plot_.top =
      std::ceil(std::max(y + (any ? 1.6 : 0.4) * line_px, controls_.height() + 0.3 * line_px));
}

void PlaneScene::lay_out_lines() {
  lines_.clear();
  for (const figure::PlaneLine& line : figure_.lines) {
    if (is_shown(line, options_, level_)) lines_.push_back(figure::extended(line, x_, y_));
  }
  own_lines_ = lines_.size();
  for (const OtherCeilings& other : others_) {
    for (const figure::PlaneLine& line : other.lines) {
      if (is_shown(line, options_, level_) && prominent(line)) {
        lines_.push_back(figure::extended(line, x_, y_));
      }
    }
  }
}

void PlaneScene::lay_out_marks() {
  marks_.clear();
  filtered_out_.clear();
  if (shows_kernels()) {
    marks_ = figure::layout_marks(shown_points_, x_, y_, plot_);
    filtered_out_ = figure::layout_marks(hidden_points_, x_, y_, plot_);
  }
  baseline_marks_ = figure::layout_marks(baseline_points_, x_, y_, plot_);
}

void PlaneScene::lay_out_arrows() {
  arrows_.clear();
  if (!baseline_) return;
  for (const figure::Mark& mark : baseline_marks_) {
    if (arrows_.size() == kMostArrows) return;
    const std::size_t theirs = baseline_->figure.points[mark.point].row;
    const auto row = baseline_->matches.in_run(theirs);
    const figure::PlanePoint* point = row ? point_of(*row, level_) : nullptr;
    if (point == nullptr) continue;
    const auto arrow =
        figure::place_arrow(mark.centre, mark.radius, position(*point), radius_of(point->row));
    if (!arrow) continue;
    arrows_.push_back({*arrow, change_of(baseline_->run->analysis.rows[theirs], run_->rows[*row])});
  }
}

void PlaneScene::lay_out_labels() {
  std::vector<figure::OrientedBox> obstacles;
  const auto avoid = [&](figure::Point centre, double radius) {
    obstacles.push_back({centre, 2 * radius, 2 * radius, 0});
  };
  for (const figure::Mark& m : marks_) {
    if (obstacles.size() >= kMarksThatPushLabels) break;
    avoid(m.centre, m.radius);
    const auto& ideal = figure_.points[m.point].ideal;
    if (ideal) avoid(position(*ideal), figure::kIdealRadius_px);
  }
  const auto measure = [this](std::string_view text) { return text_size(metrics_, text); };
  region_labels_ = figure::place_region_labels(figure_.regions, plot_, measure);
  std::vector<figure::OrientedBox> labels;
  for (const figure::RegionLabel& label : region_labels_) labels.push_back(label.box);
  line_labels_ = figure::place_line_labels(lines_, x_, y_,
                                           {.plot = plot_,
                                            .margin_left = plot_.right + kMarginGap_px,
                                            .labels = labels,
                                            .obstacles = obstacles},
                                           measure);
  lay_out_overlay(labels);

  std::vector<figure::OrientedBox> lines;
  for (const figure::PlaneLine& l : lines_) {
    const figure::Segment whole{{x_.map(l.x0), y_.map(l.y0)}, {x_.map(l.x1), y_.map(l.y1)}};
    if (const auto seen = figure::clip(whole, plot_)) lines.push_back(figure::as_box(*seen, 2));
  }
  std::vector<figure::TextSize> sizes;
  for (const figure::Mark& mark : marks_) {
    if (sizes.size() == kNamedMarks) break;
    const QString name = mark_name(mark);
    sizes.push_back({metrics_.horizontalAdvance(name), metrics_.height()});
  }
  for (const figure::Mark& mark : baseline_marks_) {
    if (labels.size() >= kMarksThatPushLabels) break;
    labels.push_back({mark.centre, 2 * mark.radius, 2 * mark.radius, 0});
  }
  mark_labels_ = figure::place_mark_labels(marks_, sizes, plot_, labels, lines);
}

// Adds the boxes of all labels there are to those of the regions.
void PlaneScene::lay_out_overlay(std::vector<figure::OrientedBox>& labels) {
  double top = plot_.top;
  for (const figure::RegionLabel& label : region_labels_) {
    if (figure_.regions[label.region].corner != figure::Corner::top_left) continue;
    top = label.box.centre.y + label.box.height / 2;
  }
  for (const figure::LineLabel& label : line_labels_) labels.push_back(label.box);
  selection_.reset();
  if (!selected_) return;
  selection_ = lay_out_selection({*run_, figure_, points_of_rows_.of(*selected_), level_},
                                 *selected_, {x_, y_, plot_, top}, metrics_, labels);
  for (const figure::OrientedBox& box : {selection_->name_box, selection_->caption_box}) {
    labels.push_back(box);
    // The caption has no other place; a line can do without its name for as long.
    std::erase_if(line_labels_,
                  [&](const figure::LineLabel& label) { return figure::overlap(label.box, box); });
  }
  for (const TierMark& tier : selection_->tiers) {
    if (tier.label) labels.push_back(*tier.label);
    labels.push_back({tier.at, 10, 10, 0});
  }
}

figure::LaunchPlace PlaneScene::launch_place(double log_x, double log_y) const {
  figure::LaunchPlace at;
  // What has no value lies on the edge, which belongs to no pixel, and stays there; so does what is
  // less than the floor.
  const bool on_left = std::isinf(log_x);
  const bool on_bottom = std::isinf(log_y);
  at.x = on_left ? 0.5F : static_cast<float>(x_.map_log10(log_x) - plot_.left);
  at.y = static_cast<float>(on_bottom ? plot_.height() - 1 : y_.map_log10(log_y) - plot_.top);
  if (log_x > log_floor_x_) {
    at.dx = static_cast<float>(figure_.launch_x * x_.pixels_per_decade());
  }
  if (log_y > log_floor_y_) {
    at.dy = static_cast<float>(-figure_.launch_y * y_.pixels_per_decade());
  }
  return at;
}

std::vector<figure::LaunchPlace> PlaneScene::launch_places() const {
  std::vector<figure::LaunchPlace> places(run_ ? run_->rows.size() : 0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    places[rows_[i]] = launch_place(points_.log_x[i], points_.log_y[i]);
  }
  return places;
}

std::optional<figure::Point> PlaneScene::selected_launch() const {
  if (!selected_factor_ || !std::isfinite(*selected_factor_)) return std::nullopt;
  const auto found = std::ranges::find(rows_, *selected_);
  if (found == rows_.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(found - rows_.begin());
  const figure::LaunchPlace at = launch_place(points_.log_x[i], points_.log_y[i]);
  return figure::Point{plot_.left + at.x + at.dx * *selected_factor_,
                       plot_.top + at.y + at.dy * *selected_factor_};
}

}  // namespace mansard::gui
