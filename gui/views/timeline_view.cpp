// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_view.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "gui/models/launch_slices.h"
#include "gui/views/timeline_tables.h"
#include "reports/figure/shown_step.h"

namespace mansard::gui {
namespace {

std::int64_t begin_of_step(const OpenRun* run) {
  return run == nullptr ? 0 : figure::shown_step(run->timeline, run->steps).window.start_ns;
}

figure::TimeSpan moved(const figure::TimeSpan& span, std::int64_t by_ns) {
  return {span.start_ns + by_ns, span.end_ns + by_ns};
}

}  // namespace

TimelineView::TimelineView(SelectionModel* shared, QWidget* parent) : RunView(shared, parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  for (Pane* pane : {&own_, &baseline_}) {
    pane->bar = new QScrollBar(Qt::Vertical, this);
    pane->bar->setAccessibleName(tr("Rows of the timeline"));
    pane->bar->hide();
    connect(pane->bar, &QScrollBar::valueChanged, this, [this, pane](int value) {
      pane->scene.scroll_to(value);
      refresh();
    });
  }
  settle_.setSingleShot(true);
  settle_.setInterval(kSettle_ms);
  connect(&settle_, &QTimer::timeout, this, &TimelineView::tell_window);
  connect(shared, &SelectionModel::selected_changed, this, &TimelineView::hear_selection);
  connect(shared, &SelectionModel::hovered_changed, this, &TimelineView::hear_hover);
  connect(shared, &SelectionModel::filter_changed, this, &TimelineView::hear_filter);
  // Else the move at rest would be told of after it, and all that could be redone were lost.
  connect(shared, &SelectionModel::history_about_to_move, this, [this] {
    if (settle_.isActive()) tell_window();
  });
  connect(shared, &SelectionModel::shown_changed, this, &TimelineView::hear_filter);
}

void TimelineView::set_run(std::shared_ptr<const OpenRun> run) {
  // As a recording grows it is set again and again, also in the midst of a move.
  const bool again = same_recording(own_.scene.run().get(), run.get());
  if (!again) settle_.stop();
  filter_ = {};
  own_.step_ns = begin_of_step(run.get());
  own_.scene.set_run(std::move(run));
  recent_.clear();
  if (!again) told_.reset();
  set_baseline(again ? baseline_.scene.run() : nullptr);
  hear_filter();
  hear_selection();
  hear_hover();
}

void TimelineView::set_baseline(std::shared_ptr<const OpenRun> run) {
  comparing_ = run != nullptr && !own_.scene.empty();
  baseline_.step_ns = begin_of_step(run.get());
  baseline_.scene.set_run(comparing_ ? std::move(run) : nullptr);
  set_limits();
  lay_out();
}

// Both show the same length of time, so the limits of each have room for the other.
void TimelineView::set_limits() {
  if (own_.scene.empty()) return;
  const bool everything = own_.scene.shows_everything();
  figure::TimeSpan limits = own_.scene.run()->timeline.span;
  if (!baseline_.scene.empty()) {
    const std::int64_t apart_ns = own_.step_ns - baseline_.step_ns;
    const figure::TimeSpan other = moved(baseline_.scene.run()->timeline.span, apart_ns);
    limits = {std::min(limits.start_ns, other.start_ns), std::max(limits.end_ns, other.end_ns)};
    baseline_.scene.set_limits(moved(limits, -apart_ns));
  }
  own_.scene.set_limits(limits);
  if (everything) own_.scene.show_everything();
  follow_window();
}

void TimelineView::follow_window() {
  if (baseline_.scene.empty()) return;
  baseline_.scene.show(moved(own_.scene.window(), baseline_.step_ns - own_.step_ns));
}

double TimelineView::caption_px() const {
  return comparing_ ? std::ceil(1.4 * QFontMetricsF(font()).height()) : 0;
}

void TimelineView::lay_out() {
  const double middle = comparing_ ? std::floor(height() / 2.0) : height();
  // Equal windows are of equal width: where one of them has a bar, the other leaves room for it.
  const bool own_scrolls = place(own_, 0, middle, false);
  const bool other_scrolls = place(baseline_, middle, height(), own_scrolls);
  if (other_scrolls && !own_scrolls) place(own_, 0, middle, true);
  refresh();
}

bool TimelineView::place(Pane& pane, double top, double bottom, bool room) {
  const double line_px = QFontMetricsF(font()).height();
  const int bar_px = pane.bar->sizeHint().width();
  pane.area = {0, top, static_cast<double>(width()), std::max(bottom, top + 1)};
  const double rows_top = std::min(top + caption_px(), pane.area.bottom - 1);
  TimelineScene& scene = pane.scene;
  scene.set_area({0, rows_top, pane.area.right - 1, pane.area.bottom}, line_px);
  const bool scrolls = !scene.empty() && scene.most_scroll_px() > 0 && width() > 3 * bar_px;
  if (scrolls || room) {
    scene.set_area({0, rows_top, pane.area.right - bar_px, pane.area.bottom}, line_px);
  }
  const QSignalBlocker blocker(pane.bar);
  pane.bar->setVisible(scrolls);
  pane.bar->setGeometry(width() - bar_px, static_cast<int>(scene.plot().top), bar_px,
                        static_cast<int>(scene.plot().height()));
  pane.bar->setPageStep(static_cast<int>(scene.plot().height()));
  pane.bar->setSingleStep(static_cast<int>(2 * line_px));
  pane.bar->setRange(0, static_cast<int>(std::ceil(scene.most_scroll_px())));
  pane.bar->setValue(static_cast<int>(std::lround(scene.scroll_px())));
  return scrolls;
}

void TimelineView::refresh() {
  stale_ = true;
  update();
}

void TimelineView::show_window(figure::TimeSpan window) {
  own_.scene.show(window);
  window_moved();
}

void TimelineView::show_everything() {
  own_.scene.show_everything();
  window_moved();
}

void TimelineView::show_typical_step() {
  if (own_.scene.empty()) return;
  const OpenRun& run = *own_.scene.run();
  show_window(figure::shown_step(run.timeline, run.steps).window);
}

void TimelineView::step_launch(int step) {
  if (own_.scene.empty() || !selection()->selected()) return;
  const LaunchColumns& launches = own_.scene.run()->launches;
  const auto row = static_cast<std::uint32_t>(*selection()->selected());
  const auto count = static_cast<std::ptrdiff_t>(launches.size());
  std::ptrdiff_t i = 0;
  if (selection()->selected_launch()) {
    i = static_cast<std::ptrdiff_t>(*selection()->selected_launch()) + step;
  } else {
    const figure::TimeSpan window = own_.scene.window();
    const auto next =
        std::ranges::lower_bound(launches.start_ns, step > 0 ? window.start_ns : window.end_ns);
    i = next - launches.start_ns.begin() - (step > 0 ? 0 : 1);
  }
  const auto wanted = [&](std::size_t launch) {
    return launches.row[launch] == row && filter_.passes(launch);
  };
  while (i >= 0 && i < count && !wanted(static_cast<std::size_t>(i))) i += step;
  if (i < 0 || i >= count) return;
  selection()->select_launch(static_cast<std::size_t>(i));
  if (!launch_) return;
  own_.scene.bring_into_sight(launch_->track);
  lay_out();
  const figure::SliceTrack& slices = own_.scene.run()->timeline.tracks[launch_->track].slices;
  const std::int64_t middle =
      slices.start_ns(launch_->slice) + slices.duration_ns(launch_->slice) / 2;
  const figure::TimeSpan window = own_.scene.window();
  const std::int64_t half_ns = (window.end_ns - window.start_ns) / 2;
  if (!own_.scene.shows_everything()) show_window({middle - half_ns, middle + half_ns});
}

void TimelineView::window_moved() {
  follow_window();
  refresh();
  if (!own_.scene.empty()) settle_.start();
}

void TimelineView::tell_window() {
  settle_.stop();
  told_.reset();
  if (!own_.scene.shows_everything()) told_ = own_.scene.window();
  selection()->set_window(told_);
}

void TimelineView::hear_filter() {
  const ViewFilter& filter = selection()->filter();
  // The window that was told last is no news, while its user may have moved on.
  if (filter.window != told_) {
    settle_.stop();
    told_ = filter.window;
    if (told_) {
      own_.scene.show(*told_);
    } else {
      own_.scene.show_everything();
    }
    follow_window();
  }
  // The model may have heard of another run already.
  if (!own_.scene.empty() && selection()->run() == own_.scene.run()) {
    filter_ = SliceFilter(*own_.scene.run(), filter, selection()->shown());
  }
  refresh();
}

void TimelineView::hear_selection() {
  const auto& run = own_.scene.run();
  const bool known = !own_.scene.empty() && selection()->run() == run;
  const SelectionModel::Row row = known ? selection()->selected() : std::nullopt;
  if (!row || *row >= run->analysis.rows.size()) {
    selected_.reset();
  } else {
    selected_ = slices_of(*row);
  }
  launch_.reset();
  call_.reset();
  if (known && selection()->selected_launch()) {
    launch_ = slice_of(*run, *selection()->selected_launch());
    call_ = call_of(*run, *selection()->selected_launch());
  }
  refresh();
}

void TimelineView::hear_hover() {
  const auto& run = own_.scene.run();
  const bool known = !own_.scene.empty() && selection()->run() == run;
  const SelectionModel::Row row = known ? selection()->hovered() : std::nullopt;
  if (!row || *row >= run->analysis.rows.size() || row == selection()->selected()) {
    hovered_.reset();
  } else {
    hovered_ = slices_of(*row);
  }
  refresh();
}

std::shared_ptr<RowSlices> TimelineView::slices_of(std::size_t row) {
  const auto known =
      std::ranges::find(recent_, row, [](const auto& slices) { return slices->row(); });
  if (known != recent_.end()) {
    std::rotate(recent_.begin(), known, known + 1);
  } else {
    recent_.insert(recent_.begin(), std::make_shared<RowSlices>(own_.scene.run(), row));
    if (recent_.size() > kRecentRows) recent_.pop_back();
  }
  return recent_.front();
}

void TimelineView::resizeEvent(QResizeEvent*) { lay_out(); }

void TimelineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) lay_out();
  if (event->type() == QEvent::PaletteChange) refresh();
  QWidget::changeEvent(event);
}

std::vector<analysis::Table> TimelineView::tables() const {
  if (own_.scene.empty()) return {};
  return timeline_tables(*own_.scene.run(), own_.scene.window());
}

}  // namespace mansard::gui
