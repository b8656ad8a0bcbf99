// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_scene.h"

#include <algorithm>

#include "reports/figure/timeline_drawing.h"

namespace mansard::gui {
namespace {

constexpr double kLabels_px = 150;
constexpr double kMaxLabels = 0.3;  // maximum share of the width
constexpr double kRowsTop_px = 6;
constexpr double kRowsBottom_px = 8;
constexpr double kMostPinned = 0.6;  // of the height of the plot

}  // namespace

TimelineScene::TimelineScene() : scale_({0, 0}, 0, 1) {}

void TimelineScene::set_run(std::shared_ptr<const OpenRun> run) {
  const bool again = same_recording(run_.get(), run.get());
  const bool everything = shows_everything();
  const figure::TimeSpan shown = window();
  const double scrolled_px = scroll_px_;
  const std::vector<std::string> arranged = again ? hidden_names() : std::vector<std::string>();
  run_ = std::move(run);
  groups_ = run_ ? figure::groups_of(run_->timeline) : std::vector<figure::TimelineGroup>();
  hidden_ = {};
  hidden_.closed.resize(groups_.size());
  if (run_) {
    hidden_.tracks.resize(run_->timeline.tracks.size());
    hidden_.lines.resize(run_->timeline.lines.size());
  }
  scroll_px_ = 0;
  set_limits(run_ ? run_->timeline.span : figure::TimeSpan{});
  show_everything();
  if (again) hide_names(arranged);
  lay_out_rows();
  if (!again) return;
  if (!everything) show(shown);
  scroll_to(scrolled_px);
}

// If rows are added or removed, their indices change, but not their names.
std::string TimelineScene::name_of(figure::RowKind kind, std::size_t index) const {
  const auto name = [](char of_kind, const auto&... parts) {
    std::string text(1, of_kind);
    ((text += '\n' + parts), ...);
    return text;
  };
  if (kind == figure::RowKind::heading) return name('g', groups_[index].label);
  if (kind == figure::RowKind::line) {
    const figure::LineTrack& line = run_->timeline.lines[index];
    return name('l', std::to_string(line.device_id()), line.label());
  }
  const figure::TimelineTrack& track = run_->timeline.tracks[index];
  return name('t', std::to_string(static_cast<int>(track.kind)), std::to_string(track.device_id),
              std::to_string(track.queue.context_id), std::to_string(track.queue.stream_id),
              std::to_string(track.lane), track.label);
}

std::vector<std::string> TimelineScene::hidden_names() const {
  std::vector<std::string> names;
  const auto add = [&](figure::RowKind kind, const std::vector<bool>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i]) names.push_back(name_of(kind, i));
    }
  };
  add(figure::RowKind::heading, hidden_.closed);
  add(figure::RowKind::track, hidden_.tracks);
  add(figure::RowKind::line, hidden_.lines);
  return names;
}

void TimelineScene::hide_names(const std::vector<std::string>& names) {
  const auto hide = [&](figure::RowKind kind, std::vector<bool>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = std::ranges::count(names, name_of(kind, i)) > 0;
    }
  };
  if (names.empty()) return;
  hide(figure::RowKind::heading, hidden_.closed);
  hide(figure::RowKind::track, hidden_.tracks);
  hide(figure::RowKind::line, hidden_.lines);
}

void TimelineScene::set_area(const figure::Rect& area, double line_px) {
  area_ = area;
  plot_.left = area.left + std::min(kLabels_px, kMaxLabels * area.width());
  plot_.top = area.top + figure::kTimeAxis_lines * line_px;
  // A window too small for its margins still has a plot of one pixel.
  plot_.right = std::max(area.right, plot_.left + 1);
  plot_.bottom = std::max(area.bottom, plot_.top + 1);
  scale_ = scale_.resized(plot_.left, plot_.right);
  if (!pins_.empty()) lay_out_rows();  // the number of pinned rows depends on the height
  scroll_to(scroll_px_);
}

void TimelineScene::set_limits(figure::TimeSpan limits) {
  const figure::TimeSpan shown = window();
  scale_ = figure::TimeScale(limits, plot_.left, plot_.right).showing(shown);
  is_seen_ = false;
}

void TimelineScene::show(figure::TimeSpan window) {
  scale_ = scale_.showing(window);
  is_seen_ = false;
}

void TimelineScene::show_everything() { show(scale_.limits()); }

void TimelineScene::zoom(double factor, double x_px) {
  scale_ = scale_.zoomed(factor, x_px);
  is_seen_ = false;
}

void TimelineScene::pan(double dx_px) {
  scale_ = scale_.panned(dx_px);
  is_seen_ = false;
}

bool TimelineScene::shows_everything() const { return window() == scale_.limits(); }

double TimelineScene::most_scroll_px() const {
  const double rows_px = all_rows_.bottom + kRowsTop_px + kRowsBottom_px;
  return std::max(0.0, rows_px - scrolled_height());
}

void TimelineScene::scroll_to(double scroll_px) {
  scroll_px_ = std::clamp(scroll_px, 0.0, most_scroll_px());
  is_seen_ = false;
}

void TimelineScene::bring_into_sight(std::size_t track) {
  const auto shows = [track](const figure::TimelineRow& row) {
    return row.kind == figure::RowKind::track && row.index == track;
  };
  if (std::ranges::any_of(all_pinned_.rows, shows)) return;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (hidden_.closed[g] && std::ranges::count(groups_[g].tracks, track) > 0) toggle_group(g);
  }
  for (const figure::TimelineRow& row : all_rows_.rows) {
    if (!shows(row)) continue;
    const double last_px = row.box.bottom + kRowsTop_px + kRowsBottom_px - scrolled_height();
    scroll_to(std::clamp(scroll_px_, std::min(last_px, row.box.top), row.box.top));
  }
}

void TimelineScene::toggle_group(std::size_t group) {
  hidden_.closed[group] = !hidden_.closed[group];
  lay_out_rows();
}

void TimelineScene::hide(const figure::TimelineRow& row) {
  if (row.kind == figure::RowKind::heading) return;
  std::vector<bool>& list = row.kind == figure::RowKind::line ? hidden_.lines : hidden_.tracks;
  if (row.index >= list.size()) return;  // belongs to another run
  list[row.index] = true;
  lay_out_rows();
}

void TimelineScene::show_hidden() {
  for (std::vector<bool>* list : {&hidden_.closed, &hidden_.tracks, &hidden_.lines}) {
    list->assign(list->size(), false);
  }
  lay_out_rows();
}

bool TimelineScene::hides_any() const {
  const auto any = [](const std::vector<bool>& list) { return std::ranges::count(list, true) > 0; };
  return any(hidden_.closed) || any(hidden_.tracks) || any(hidden_.lines);
}

// The rows that are pinned and hidden together with this one.
std::vector<figure::TimelineRow> TimelineScene::rows_of(const figure::TimelineRow& row) const {
  if (!run_ || row.group >= groups_.size()) return {};
  const figure::Timeline& timeline = run_->timeline;
  const figure::TimelineGroup& group = groups_[row.group];
  const bool all = row.kind == figure::RowKind::heading;
  std::vector<figure::TimelineRow> rows;
  const auto add = [&](figure::RowKind kind, std::size_t index) {
    rows.push_back({.kind = kind, .group = row.group, .index = index, .box = {}, .label = {}});
  };
  for (const std::size_t i : group.tracks) {
    const figure::TimelineTrack& track = timeline.tracks[i];
    if (!all && row.kind != figure::RowKind::track) continue;
    const figure::TimelineTrack* same = all ? nullptr : &timeline.tracks[row.index];
    const bool is_lane =
        same == nullptr ||
        (track.kind == same->kind && track.label == same->label && track.queue == same->queue);
    if (is_lane) add(figure::RowKind::track, i);
  }
  for (const std::size_t i : group.lines) {
    if (all || (row.kind == figure::RowKind::line && row.index == i)) add(figure::RowKind::line, i);
  }
  return rows;
}

bool TimelineScene::has_pin(figure::RowKind kind, std::size_t index) const {
  return !pins_.empty() && std::ranges::count(pins_, name_of(kind, index)) > 0;
}

bool TimelineScene::is_pinned(const figure::TimelineRow& row) const {
  const std::vector<figure::TimelineRow> rows = rows_of(row);
  return !rows.empty() && std::ranges::all_of(rows, [this](const figure::TimelineRow& each) {
    return has_pin(each.kind, each.index);
  });
}

void TimelineScene::set_pinned(const figure::TimelineRow& row, bool pinned) {
  for (const figure::TimelineRow& each : rows_of(row)) {
    const std::string name = name_of(each.kind, each.index);
    std::erase(pins_, name);
    if (pinned) pins_.push_back(name);
  }
  lay_out_rows();
}

void TimelineScene::set_pins(std::vector<std::string> names) {
  pins_ = std::move(names);
  lay_out_rows();
}

// Pinned rows are in the order of the timeline, so that lanes follow each other. `hidden` receives
// the rows that are pinned.
void TimelineScene::lay_out_pinned(figure::HiddenRows& hidden) {
  all_pinned_ = {};
  if (!run_ || pins_.empty()) return;
  std::vector<figure::TimelineRow> pinned;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const figure::TimelineRow heading{
        .kind = figure::RowKind::heading, .group = g, .index = g, .box = {}, .label = {}};
    for (figure::TimelineRow& row : rows_of(heading)) {
      const bool is_line = row.kind == figure::RowKind::line;
      const bool is_hidden = (is_line ? hidden.lines : hidden.tracks)[row.index];
      if (!is_hidden && has_pin(row.kind, row.index)) pinned.push_back(std::move(row));
    }
  }
  all_pinned_ = figure::lay_out_pinned(run_->timeline, pinned);
  const double room_px = kMostPinned * plot_.height() - kRowsTop_px - kRowsBottom_px;
  std::erase_if(all_pinned_.rows,
                [&](const figure::TimelineRow& row) { return row.box.bottom > room_px; });
  all_pinned_.bottom = all_pinned_.rows.empty() ? 0 : all_pinned_.rows.back().box.bottom;
  for (const figure::TimelineRow& row : all_pinned_.rows) {
    (row.kind == figure::RowKind::line ? hidden.lines : hidden.tracks)[row.index] = true;
  }
}

void TimelineScene::lay_out_rows() {
  figure::HiddenRows hidden = hidden_;
  lay_out_pinned(hidden);
  all_rows_ =
      run_ ? figure::lay_out_groups(run_->timeline, groups_, hidden) : figure::TimelineRows();
  scroll_to(scroll_px_);
}

double TimelineScene::pinned_bottom() const {
  if (all_pinned_.rows.empty()) return plot_.top;
  return plot_.top + kRowsTop_px + all_pinned_.bottom + kRowsBottom_px;
}

const std::vector<figure::TimelineRow>& TimelineScene::rows() const {
  if (!is_seen_) see();
  return seen_;
}

const std::vector<figure::TimelineRow>& TimelineScene::pinned_rows() const {
  if (!is_seen_) see();
  return seen_pinned_;
}

void TimelineScene::see() const {
  is_seen_ = true;
  const double top = pinned_bottom();
  see_rows(all_rows_, top + kRowsTop_px - scroll_px_, top, plot_.bottom, seen_);
  see_rows(all_pinned_, plot_.top + kRowsTop_px, plot_.top, top, seen_pinned_);
}

void TimelineScene::see_rows(const figure::TimelineRows& rows, double origin_px, double top,
                             double bottom, std::vector<figure::TimelineRow>& seen) const {
  seen.clear();
  for (const figure::TimelineRow& row : rows.rows) {
    const double row_top = origin_px + row.box.top;
    const double row_bottom = origin_px + row.box.bottom;
    if (row_bottom <= top || row_top >= bottom) continue;
    figure::TimelineRow& visible = seen.emplace_back(row);
    const double left = row.kind == figure::RowKind::heading ? area_.left : plot_.left;
    visible.box = {left, row_top, plot_.right, row_bottom};
    figure::find_visible(visible, run_->timeline, scale_, plot_);
  }
}

const figure::TimelineRow* TimelineScene::row_at(double y_px) const {
  if (y_px < plot_.top || y_px >= plot_.bottom) return nullptr;
  const auto& list = y_px < pinned_bottom() ? pinned_rows() : rows();
  const auto found = std::ranges::find_if(list, [y_px](const figure::TimelineRow& row) {
    return y_px >= row.box.top && y_px < row.box.bottom;
  });
  return found == list.end() ? nullptr : &*found;
}

const figure::TimelineRow* TimelineScene::row_of(std::size_t track) const {
  for (const std::vector<figure::TimelineRow>* list : {&pinned_rows(), &rows()}) {
    const auto found = std::ranges::find_if(*list, [track](const figure::TimelineRow& row) {
      return row.kind == figure::RowKind::track && row.index == track;
    });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

}  // namespace mansard::gui
