// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_view.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/models/launch_matches.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_tables.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

figure::TimeSpan moved(const figure::TimeSpan& span, std::int64_t by_ns) {
  return {span.start_ns + by_ns, span.end_ns + by_ns};
}

}  // namespace

TimelineView::TimelineView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent),
      own_(this),
      baseline_(this),
      steps_(new StepStrip(this)),
      interval_(new IntervalBar(shared, this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  for (TimelinePane* pane : {&own_, &baseline_}) {
    connect(pane->bar, &QScrollBar::valueChanged, this, [this, pane](int value) {
      pane->scene.scroll_to(value);
      refresh();
    });
  }
  settle_.setSingleShot(true);
  settle_.setInterval(kSettle_ms);
  connect(&settle_, &QTimer::timeout, this, &TimelineView::tell_visible);
  connect(steps_, &StepStrip::chosen, this, &TimelineView::show_window);
  connect(interval_, &IntervalBar::zoom_asked, this, &TimelineView::zoom_to_selection);
  connect(interval_, &IntervalBar::shown_changed, this, &TimelineView::lay_out);
  connect(shared, &SelectionModel::selected_changed, this, &TimelineView::hear_selection);
  connect(shared, &SelectionModel::hovered_changed, this, &TimelineView::hear_selection);
  connect(shared, &SelectionModel::filter_changed, this, &TimelineView::hear_filter);
  // Otherwise the pending move would be reported after the undo and discard the redo history.
  connect(shared, &SelectionModel::history_about_to_move, this, [this] {
    if (settle_.isActive()) tell_visible();
  });
  connect(shared, &SelectionModel::visible_changed, this, &TimelineView::hear_visible);
  connect(shared, &SelectionModel::shown_changed, this, &TimelineView::hear_filter);
}

void TimelineView::set_run(std::shared_ptr<const OpenRun> run) {
  // A growing profile is set repeatedly, also during a move.
  const bool again = same_recording(own_.scene.run().get(), run.get());
  if (!again) settle_.stop();
  marks_.set_run(run);
  own_.set_run(std::move(run));
  if (!own_.scene.empty() && !again) {
    own_.scene.show(own_.step());
    reported_ = own_.scene.window();
    if (selection()->run() == own_.scene.run()) selection()->open_visible(reported_);
  }
  steps_->set_steps(own_.scene.run());
  set_baseline(again ? baseline_.scene.run() : nullptr);
  hear_filter();
  hear_visible();
  hear_selection();
}

void TimelineView::set_baseline(std::shared_ptr<const OpenRun> run) {
  comparing_ = run != nullptr && !own_.scene.empty();
  baseline_.set_run(comparing_ ? std::move(run) : nullptr);
  set_limits();
  lay_out();
}

// Both show the same length of time, so the limits of each include those of the other.
void TimelineView::set_limits() {
  if (own_.scene.empty()) return;
  const bool everything = own_.scene.shows_everything();
  figure::TimeSpan limits = own_.scene.run()->timeline.span;
  if (!baseline_.scene.empty()) {
    const std::int64_t apart_ns = own_.step().start_ns - baseline_.step().start_ns;
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
  baseline_.scene.show(
      moved(own_.scene.window(), baseline_.step().start_ns - own_.step().start_ns));
}

void TimelineView::lay_out() {
  const double caption_px = comparing_ ? std::ceil(1.4 * QFontMetricsF(font()).height()) : 0;
  const int strip_px = steps_->isHidden() ? 0 : std::min(steps_->sizeHint().height(), height() / 4);
  const int bar_px = interval_->isHidden() ? 0 : interval_->heightForWidth(width());
  const double top = strip_px;
  const double bottom = std::max(top + 1, static_cast<double>(height() - bar_px));
  const double middle = comparing_ ? std::floor((top + bottom) / 2.0) : bottom;
  const auto part = [this](double from, double to) {
    return figure::Rect{0, from, static_cast<double>(width()), std::max(to, from + 1)};
  };
  // Equal windows need equal widths: if one pane has a scroll bar, the other reserves room for it.
  const bool own_scrolls = own_.place(part(top, middle), caption_px, false);
  const bool other_scrolls = baseline_.place(part(middle, bottom), caption_px, own_scrolls);
  if (other_scrolls && !own_scrolls) own_.place(part(top, middle), caption_px, true);
  steps_->setGeometry(0, 0, width(), strip_px);
  steps_->set_plot(own_.scene.plot().left, own_.scene.plot().right);
  interval_->setGeometry(0, height() - bar_px, width(), bar_px);
  refresh();
}

QStringList TimelineView::pins() const {
  QStringList names;
  for (const std::string& name : own_.scene.pins()) names << to_qstring(name);
  return names;
}

void TimelineView::set_pins(const QStringList& names) {
  std::vector<std::string> pins;
  for (const QString& name : names) pins.push_back(name.toStdString());
  own_.scene.set_pins(std::move(pins));
  lay_out();
}

void TimelineView::show_typical_step() {
  if (own_.scene.empty()) return;
  show_window(own_.step());
}

void TimelineView::show_step(int by) {
  const figure::TimeSpan window = own_.scene.window();
  if (const auto step = steps_->neighbor(window, by)) show_window(*step);
}

void TimelineView::step_launch(int step) {
  if (own_.scene.empty()) return;
  if (!selection()->selected()) return step_match(step);
  center(marks_.next_launch(*selection(), own_.scene.window(), step));
}

void TimelineView::step_match(int step) {
  if (own_.scene.empty()) return;
  center(next_match(*selection(), own_.scene.window(), step));
}

void TimelineView::center(std::optional<std::size_t> launch) {
  if (!launch) return;
  TimelineScene& scene = own_.scene;
  const figure::TimeSpan window = scene.window();
  selection()->select_launch(*launch);
  if (!marks_.launch()) return;
  const figure::SliceRef slice = *marks_.launch();
  scene.bring_into_sight(slice.track);
  lay_out();
  const figure::SliceTrack& slices = scene.run()->timeline.tracks[slice.track].slices;
  const std::int64_t middle = slices.start_ns(slice.slice) + slices.duration_ns(slice.slice) / 2;
  const std::int64_t half_ns = (window.end_ns - window.start_ns) / 2;
  if (!scene.shows_everything()) show_window({middle - half_ns, middle + half_ns});
}

std::optional<figure::TimeSpan> TimelineView::selected_interval() const {
  if (own_.scene.empty() || selection()->state().pinned) return std::nullopt;
  return selection()->filter().window;
}

void TimelineView::select_visible() {
  if (!own_.scene.empty()) selection()->set_window(own_.scene.window());
}

void TimelineView::zoom_to_selection() {
  if (const auto interval = selected_interval()) show_window(*interval);
}

// First the selected interval, then the selected kernel.
void TimelineView::clear_selection() {
  if (selected_interval()) return selection()->set_window(std::nullopt);
  selection()->select(std::nullopt);
}

void TimelineView::window_moved() {
  follow_window();
  refresh();
  steps_->set_visible_span(own_.scene.window());
  if (!own_.scene.empty()) settle_.start();
}

void TimelineView::tell_visible() {
  settle_.stop();
  reported_ = own_.scene.window();
  selection()->set_visible(reported_);
}

// Undo, a bookmark or the like; not what this view reported last: the user may have moved on.
void TimelineView::hear_visible() {
  if (own_.scene.empty() || selection()->run() != own_.scene.run()) return;
  const auto& visible = selection()->state().visible;
  if (visible && *visible != reported_) {
    settle_.stop();
    own_.scene.show(*visible);
    reported_ = *visible;
    follow_window();
  }
  steps_->set_visible_span(own_.scene.window());
  refresh();
}

void TimelineView::hear_filter() {
  marks_.read_filter(*selection());
  refresh();
}

void TimelineView::hear_selection() {
  marks_.read_rows(*selection());
  refresh();
}

std::vector<analysis::Table> TimelineView::tables() const {
  if (own_.scene.empty()) return {};
  return timeline_tables(*own_.scene.run(), own_.scene.window());
}

// ---- Painting ----

QString TimelineView::empty_text(const OpenRun* run) const {
  if (run == nullptr) return no_run_text();
  if (run->analysis.rows.empty()) return tr("No timeline: this profile has no launches.");
  return tr("No timeline: the launches in this profile have no time stamps.");
}

void TimelineView::paint_pane(QPainter& painter, TimelinePane& pane) const {
  const figure::Theme theme = theme_of(palette());
  const OpenRun* run = pane.scene.run().get();
  const bool is_own = &pane == &own_;
  if (comparing_) {
    const QString title = to_qstring(one_line(run->analysis.title));
    pane.write_caption(
        painter, is_own ? tr("%1 (this run)").arg(title) : tr("%1 (baseline)").arg(title), theme);
  }
  if (pane.scene.empty()) return pane.write_instead(painter, empty_text(run), theme);
  // Rows and launches of the baseline have other indices: no highlighting.
  pane.paint(painter, is_own ? &marks_ : nullptr, theme);
  const auto interval = is_own ? selected_interval() : std::nullopt;
  const figure::TimeSpan window = pane.scene.window();
  if (!interval || interval->end_ns <= window.start_ns || interval->start_ns >= window.end_ns)
    return;
  pane.painter.paint_marked(painter, pane.scene, pane.scene.scale().map(interval->start_ns),
                            pane.scene.scale().map(interval->end_ns), theme);
}

void TimelineView::paint(QPainter& painter) const {
  const figure::Surface& colors = figure::surface(theme_of(palette()));
  painter.setFont(font());
  painter.fillRect(rect(), to_qcolor(colors.background));
  paint_pane(painter, own_);
  if (!comparing_) return;
  paint_pane(painter, baseline_);
  painter.fillRect(QRectF(0, baseline_.area().top, width(), 1), to_qcolor(colors.axis));
}

void TimelineView::paintEvent(QPaintEvent*) {
  const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize();
  if (stale_ || picture_.size() != pixels) {
    picture_ = QPixmap(pixels);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    QPainter painter(&picture_);
    paint(painter);
    stale_ = false;
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  painter.setFont(font());
  paint_cursor(painter);
}

void TimelineView::paint_cursor(QPainter& painter) const {
  const figure::Theme theme = theme_of(palette());
  for (TimelinePane* pane : {&own_, &baseline_}) {
    if (pane->scene.empty()) continue;
    const figure::Rect& plot = pane->scene.plot();
    if (drag_ == Drag::mark) {
      pane->painter.paint_marked(painter, pane->scene, pressed_.x(), dragged_to_.x(), theme);
    } else if (cursor_ && drag_ != Drag::pan && cursor_->x() >= plot.left &&
               cursor_->x() <= plot.right) {
      pane->painter.paint_cursor(painter, pane->scene, cursor_->x(), theme);
    }
  }
}

void TimelineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) lay_out();
  if (event->type() == QEvent::PaletteChange) refresh();
  QWidget::changeEvent(event);
}

TimelinePane& TimelineView::pane_at(QPointF position) const {
  return comparing_ && position.y() >= baseline_.area().top ? baseline_ : own_;
}

void TimelineView::zoom_to(const TimelinePane& pane, const figure::TimeSpan& span) {
  const std::int64_t margin_ns = (span.end_ns - span.start_ns) / 8;
  const std::int64_t apart_ns = own_.step().start_ns - pane.step().start_ns;
  show_window({span.start_ns - margin_ns + apart_ns, span.end_ns + margin_ns + apart_ns});
}

}  // namespace mansard::gui
