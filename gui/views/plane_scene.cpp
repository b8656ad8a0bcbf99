// SPDX-License-Identifier: Apache-2.0
// What is shown: the run, the filter and the options. Where it lies is in plane_layout.cpp.
#include "gui/views/plane_scene.h"

#include <QFont>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/models/row_facts.h"

namespace mansard::gui {
namespace {

void widen(figure::PlaneAxis& axis, double low, double high) {
  axis.min = std::min(axis.min, low);
  axis.max = std::max(axis.max, high);
  if (axis.floor > 0) axis.floor = axis.min;
}

}  // namespace

PlaneScene::PlaneScene(PlaneKind kind)
    : kind_(kind), metrics_(QFont()), x_(0.1, 1e3, 0, 1), y_(1e9, 1e15, 1, 0) {
  set_run(nullptr);
}

void PlaneScene::set_run(std::shared_ptr<const analysis::RunAnalysis> run) {
  run_ = std::move(run);
  const bool again = !run_ || (!file_.empty() && run_->profile.file == file_);
  if (run_) file_ = run_->profile.file;
  baseline_.reset();
  selected_.reset();
  selected_factor_.reset();
  shown_ = std::make_shared<ShownLaunches>();
  whole_ = whole_ || !again;
  collect_others();
  points_of_rows_ = figure::PointsOfRows(figure_, run_ ? run_->rows.size() : 0);
  collect_classes();
  choose_level();
  outdate(Stale::points);
}

void PlaneScene::outdate(Stale what) {
  stale_ = std::max(stale_, what);
  // Labels move no points.
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

void PlaneScene::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  shown_ = std::move(shown);
  outdate(Stale::shown);
}

void PlaneScene::set_selected(std::optional<std::size_t> row, std::optional<float> log_factor) {
  selected_ = row && run_ && *row < run_->rows.size() ? row : std::nullopt;
  selected_factor_ = selected_ ? log_factor : std::nullopt;
  outdate(Stale::labels);
}

void PlaneScene::collect_classes() {
  std::map<std::string_view, double> class_time;
  // Points of a row follow each other, and rows of a class often do.
  auto last = class_time.end();
  for (const figure::PlanePoint& p : figure_.points) {
    if (last == class_time.end() || last->first != p.operation_class) {
      last = class_time.try_emplace(p.operation_class, 0).first;
    }
    last->second += p.share;
  }
  classes_.clear();
  for (const auto& [name, time] : class_time) classes_.emplace_back(name);
  std::ranges::stable_sort(classes_, std::greater<>{},
                           [&](const std::string& name) { return class_time.at(name); });
  used_.clear();
  for (std::size_t i = 0; run_ && i < run_->rows.size(); ++i) {
    for (const auto& [precision, flop] : run_->rows[i].work.flop) {
      if (flop > 0) used_.insert(precision);
    }
  }
}

// The figure itself, and what other machines add to it and to its limits.
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
  level_ = chosen ? options_.level : figure::first_level(figure_);
}

void PlaneScene::collect_points() {
  points_ = figure::columns_of(
      figure_, [this](const figure::PlanePoint& p) { return figure::holds_at(p.level, level_); });
  log_floor_x_ = std::log10(figure_.x.floor);
  log_floor_y_ = std::log10(figure_.y.floor);
  rows_.clear();
  for (const std::uint32_t i : points_.point) {
    rows_.push_back(static_cast<std::uint32_t>(figure_.points[i].row));
  }
}

// Which of the points pass the filter, and how much of what passes they are.
void PlaneScene::collect_shown() {
  shown_points_ = {};
  hidden_points_ = {};
  shown_points_.classes = hidden_points_.classes = points_.classes;
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

// A kernel of the baseline passes with the run's own; one that the run lacks, unless there is a
// filter.
void PlaneScene::collect_baseline() {
  baseline_points_ = {};
  if (!baseline_) return;
  baseline_points_ = figure::columns_of(baseline_->figure, [this](const figure::PlanePoint& p) {
    const auto row = baseline_->matches.in_run(p.row);
    return figure::holds_at(p.level, level_) && (row ? shown_->shows(*row) : shown_->all());
  });
}

QString PlaneScene::mark_name(const figure::Mark& mark) const {
  constexpr qsizetype kNameLength = 24;
  QString name = label_text(figure_.points[mark.point].label);
  if (name.size() > kNameLength) name = name.left(kNameLength - 1) + QChar(0x2026);
  if (mark.count > 1) name += QStringLiteral(" +%1").arg(mark.count - 1);
  return name;
}

QString PlaneScene::sentence() const { return empty_sentence(figure_, kind_, run_.get(), *shown_); }

}  // namespace mansard::gui
