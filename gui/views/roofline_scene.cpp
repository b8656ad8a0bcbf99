// SPDX-License-Identifier: Apache-2.0
#include "gui/views/roofline_scene.h"

#include <QFont>
#include <algorithm>
#include <map>

#include "gui/models/row_facts.h"

namespace mansard {
namespace {

constexpr double kLegendGap_px = 18;
constexpr double kLegendMark_px = 20;
constexpr double kMarginGap_px = 20;  // between the plot and the names of compute ceilings
constexpr std::size_t kNamedMarks = 16;
constexpr qsizetype kNameLength = 24;
// Slopes' labels give way to this many marks; more would fill the figure anyway.
constexpr std::size_t kMarksThatPushLabels = 60;

TextSize text_size(const QFontMetricsF& metrics, std::string_view text) {
  const QString t = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  return {metrics.horizontalAdvance(t), metrics.height()};
}

}  // namespace

RooflineScene::RooflineScene() : metrics_(QFont()), x_(0.1, 1e3, 0, 1), y_(1e9, 1e15, 1, 0) {
  set_run(nullptr);
}

void RooflineScene::set_run(std::shared_ptr<const RunAnalysis> run) {
  run_ = std::move(run);
  selected_.reset();
  const DeviceModel nothing;
  figure_ = layout_roofline(run_ && run_->machine ? *run_->machine : nothing, run_.get());

  level_ = main_memory(run_ && !run_->rows.empty() ? run_->rows.front().target : Target::cuda);
  const auto points_at = [this](MemoryLevel level) {
    return std::ranges::count(figure_.points, level, &PlanePoint::level);
  };
  if (!figure_.levels.empty() && points_at(level_) == 0) {
    level_ = *std::ranges::max_element(figure_.levels, {}, points_at);
  }

  std::map<std::string, double> class_time_s;
  for (const PlanePoint& p : figure_.points) class_time_s[p.operation_class] += p.share;
  classes_.clear();
  for (const auto& [name, time_s] : class_time_s) classes_.push_back(name);
  std::ranges::stable_sort(classes_, std::greater<>{},
                           [&](const std::string& name) { return class_time_s.at(name); });

  used_.clear();
  for (std::size_t i = 0; run_ && i < run_->rows.size(); ++i) {
    for (const auto& [precision, flop] : run_->rows[i].work.flop) {
      if (flop > 0) used_.insert(precision);
    }
  }

  matches_.assign(run_ ? run_->rows.size() : 0, true);
  reset_zoom();
}

void RooflineScene::set_level(MemoryLevel level) {
  level_ = level;
  lay_out();
}

void RooflineScene::set_shown(const ShownLaunches& shown) {
  for (std::size_t i = 0; i < matches_.size(); ++i) matches_[i] = shown.shows(i);
  lay_out();
}

void RooflineScene::set_selected(std::optional<std::size_t> row) {
  selected_ = row && run_ && *row < run_->rows.size() ? row : std::nullopt;
  lay_out_labels();
}

void RooflineScene::set_size(QSizeF size, const QFontMetricsF& metrics) {
  size_ = size;
  metrics_ = metrics;
  lay_out();
}

void RooflineScene::zoom(double factor_x, double factor_y, Point at) {
  x_ = x_.zoomed(factor_x, at.x);
  y_ = y_.zoomed(factor_y, at.y);
  lay_out();
}

void RooflineScene::pan(double dx_px, double dy_px) {
  x_ = x_.panned(dx_px);
  y_ = y_.panned(dy_px);
  lay_out();
}

void RooflineScene::reset_zoom() {
  x_ = LogScale(figure_.x.min, figure_.x.max, x_.pixel_min(), x_.pixel_max());
  y_ = LogScale(figure_.y.min, figure_.y.max, y_.pixel_min(), y_.pixel_max());
  lay_out();
}

void RooflineScene::lay_out() {
  lay_out_frame();
  lay_out_lines();
  lay_out_marks();
  lay_out_labels();
}

void RooflineScene::lay_out_frame() {
  const double line_px = metrics_.height();
  double names_px = 0;
  for (const PlaneLine& line : figure_.lines) {
    if (line.label_place == LabelPlace::margin)
      names_px = std::max(names_px, text_size(metrics_, line.label).width);
  }
  // Ticks of any zoom fit, so that the plot keeps its place while one zooms.
  const double ticks_px = metrics_.horizontalAdvance(QStringLiteral("88.888 M"));
  plot_.left = 1.6 * line_px + ticks_px + 8;
  plot_.right = size_.width() - (names_px > 0 ? names_px + kMarginGap_px : 0) - 14;

  legend_.clear();
  double x = plot_.left;
  double y = 0.4 * line_px;
  for (const std::string& name : classes_) {
    const double width = kLegendMark_px + text_size(metrics_, name).width;
    if (x > plot_.left && x + width > size_.width() - 14) {
      x = plot_.left;
      y += 1.3 * line_px;
    }
    legend_.push_back({name, {x, y, x + width, y + line_px}});
    x += width + kLegendGap_px;
  }
  plot_.top = y + (legend_.empty() ? 0.4 : 1.6) * line_px;
  plot_.bottom = size_.height() - 3 * line_px;
  // A window too small for its margins still has a plot of one pixel.
  plot_.right = std::max(plot_.right, plot_.left + 1);
  plot_.bottom = std::max(plot_.bottom, plot_.top + 1);
  x_ = x_.resized(plot_.left, plot_.right);
  y_ = y_.resized(plot_.bottom, plot_.top);
}

void RooflineScene::lay_out_lines() {
  lines_.clear();
  for (const PlaneLine& line : figure_.lines) lines_.push_back(extended(line, x_, y_));
}

void RooflineScene::lay_out_marks() {
  const auto wanted = [this](bool matching) {
    return [this, matching](const PlanePoint& p) {
      return holds_at(p.level, level_) && matches_[p.row] == matching;
    };
  };
  marks_ = layout_marks(figure_, x_, y_, plot_, wanted(true));
  filtered_out_ = layout_marks(figure_, x_, y_, plot_, wanted(false));
}

void RooflineScene::lay_out_labels() {
  std::vector<OrientedBox> obstacles;
  for (const Mark& m : marks_) {
    if (obstacles.size() == kMarksThatPushLabels) break;
    obstacles.push_back({m.centre, 2 * m.radius, 2 * m.radius, 0});
  }
  const auto measure = [this](std::string_view text) { return text_size(metrics_, text); };
  line_labels_ = place_line_labels(
      lines_, x_, y_,
      {.plot = plot_, .margin_left = plot_.right + kMarginGap_px, .obstacles = obstacles}, measure);

  std::vector<OrientedBox> labels;
  for (const LineLabel& label : line_labels_) labels.push_back(label.box);
  selection_.reset();
  if (selected_) {
    selection_ =
        lay_out_selection(*run_, figure_, *selected_, level_, x_, y_, plot_, metrics_, labels);
    labels.push_back(selection_->name_box);
    labels.push_back(selection_->caption_box);
    for (const TierMark& tier : selection_->tiers) {
      if (tier.label) labels.push_back(*tier.label);
      labels.push_back({tier.at, 10, 10, 0});
    }
  }
  std::vector<OrientedBox> lines;
  for (const PlaneLine& l : lines_) {
    const Segment whole{{x_.map(l.x0), y_.map(l.y0)}, {x_.map(l.x1), y_.map(l.y1)}};
    if (const auto seen = clip(whole, plot_)) lines.push_back(as_box(*seen, 2));
  }
  std::vector<TextSize> sizes;
  for (const Mark& mark : marks_) {
    if (sizes.size() == kNamedMarks) break;
    const QString name = mark_name(mark);
    sizes.push_back({metrics_.horizontalAdvance(name), metrics_.height()});
  }
  mark_labels_ = place_mark_labels(marks_, sizes, plot_, labels, lines);
}

QString RooflineScene::mark_name(const Mark& mark) const {
  QString name = QString::fromStdString(figure_.points[mark.point].label);
  if (name.size() > kNameLength) name = name.left(kNameLength - 1) + QChar(0x2026);
  if (mark.count > 1) name += QStringLiteral(" +%1").arg(mark.count - 1);
  return name;
}

const PlanePoint* RooflineScene::point_of(std::size_t row, MemoryLevel level) const {
  const auto found = std::ranges::find_if(figure_.points, [&](const PlanePoint& p) {
    return p.row == row && holds_at(p.level, level);
  });
  return found == figure_.points.end() ? nullptr : &*found;
}

}  // namespace mansard
