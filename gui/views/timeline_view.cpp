// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_view.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/models/launch_slices.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_tables.h"
#include "gui/views/view_keys.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

constexpr double kZoomPerNotch = 1.25;
constexpr double kPanByNotch_px = 80;
constexpr double kMoveByKey_px = 40;
constexpr double kWheelNotch = 120;  // QWheelEvent: 1/8 degree units, 15 degrees per notch

figure::TimeSpan moved(const figure::TimeSpan& span, std::int64_t by_ns) {
  return {span.start_ns + by_ns, span.end_ns + by_ns};
}

}  // namespace

TimelineView::TimelineView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent), own_(this), baseline_(this) {
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
  connect(&settle_, &QTimer::timeout, this, &TimelineView::tell_window);
  connect(shared, &SelectionModel::selected_changed, this, &TimelineView::hear_selection);
  connect(shared, &SelectionModel::hovered_changed, this, &TimelineView::hear_selection);
  connect(shared, &SelectionModel::filter_changed, this, &TimelineView::hear_filter);
  // Otherwise the pending move would be reported after the undo and discard the redo history.
  connect(shared, &SelectionModel::history_about_to_move, this, [this] {
    if (settle_.isActive()) tell_window();
  });
  connect(shared, &SelectionModel::shown_changed, this, &TimelineView::hear_filter);
}

void TimelineView::set_run(std::shared_ptr<const OpenRun> run) {
  // A growing profile is set repeatedly, also during a move.
  const bool again = same_recording(own_.scene.run().get(), run.get());
  if (!again) settle_.stop();
  marks_.set_run(run);
  own_.set_run(std::move(run));
  if (!again) {
    reported_.reset();
    if (!own_.scene.empty()) own_.scene.show(own_.step());  // no filter: tables keep all launches
  }
  set_baseline(again ? baseline_.scene.run() : nullptr);
  hear_filter();
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
  const double middle = comparing_ ? std::floor(height() / 2.0) : height();
  const auto part = [this](double top, double bottom) {
    return figure::Rect{0, top, static_cast<double>(width()), std::max(bottom, top + 1)};
  };
  // Equal windows need equal widths: if one pane has a scroll bar, the other reserves room for it.
  const bool own_scrolls = own_.place(part(0, middle), caption_px, false);
  const bool other_scrolls = baseline_.place(part(middle, height()), caption_px, own_scrolls);
  if (other_scrolls && !own_scrolls) own_.place(part(0, middle), caption_px, true);
  refresh();
}

void TimelineView::show_typical_step() {
  if (own_.scene.empty()) return;
  show_window(own_.step());
}

void TimelineView::step_launch(int step) {
  TimelineScene& scene = own_.scene;
  if (scene.empty()) return;
  const figure::TimeSpan window = scene.window();
  const auto launch = marks_.next_launch(*selection(), window, step);
  if (!launch) return;
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

void TimelineView::window_moved() {
  follow_window();
  refresh();
  if (!own_.scene.empty()) settle_.start();
}

void TimelineView::tell_window() {
  settle_.stop();
  reported_.reset();
  if (!own_.scene.shows_everything()) reported_ = own_.scene.window();
  selection()->set_window(reported_);
}

void TimelineView::hear_filter() {
  const ViewFilter& filter = selection()->filter();
  // Ignore the window reported last: the user may have moved on.
  if (filter.window != reported_) {
    settle_.stop();
    reported_ = filter.window;
    if (reported_) {
      own_.scene.show(*reported_);
    } else {
      own_.scene.show_everything();
    }
    follow_window();
  }
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

// ---- Mouse and keys ----

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

void TimelineView::wheelEvent(QWheelEvent* event) {
  TimelinePane& pane = pane_at(event->position());
  if (pane.scene.empty()) return event->ignore();
  const QPoint angle = event->angleDelta();
  const bool sideways =
      std::abs(angle.x()) > std::abs(angle.y()) || (event->modifiers() & Qt::ShiftModifier);
  if (sideways) {
    // With Shift, some systems report a horizontal wheel.
    const int turned = angle.x() != 0 ? angle.x() : angle.y();
    pan(turned / kWheelNotch * kPanByNotch_px);
  } else if (event->position().x() < pane.scene.plot().left) {
    scroll(pane, -angle.y() / kWheelNotch * kPanByNotch_px);
  } else {
    zoom(std::pow(kZoomPerNotch, angle.y() / kWheelNotch), event->position().x());
  }
  cursor_ = event->position();
  event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::RightButton) {
    return QWidget::mousePressEvent(event);
  }
  pressed_ = dragged_to_ = event->position();
  button_ = event->button();
  drag_ = Drag::pressed;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  cursor_ = event->position();
  if (drag_ == Drag::none) return hover(event->position());
  const bool in_rows = !own_.scene.empty() && pressed_.x() >= own_.scene.plot().left;
  if (drag_ == Drag::pressed) {
    // Ignore small movements while clicking.
    const QPointF moved = event->position() - pressed_;
    if (moved.manhattanLength() < QApplication::startDragDistance() || !in_rows) return;
    const bool on_axis = pressed_.y() < pane_at(pressed_).scene.plot().top;
    const bool marks =
        button_ == Qt::RightButton || on_axis || (event->modifiers() & Qt::ShiftModifier);
    drag_ = marks ? Drag::mark : Drag::pan;
    setCursor(marks ? Qt::SplitHCursor : Qt::ClosedHandCursor);
    QToolTip::hideText();
  }
  drag_to(event->position());
}

void TimelineView::drag_to(QPointF position) {
  const QPointF step = position - dragged_to_;
  dragged_to_ = position;
  if (drag_ == Drag::pan) {
    scroll(pane_at(pressed_), -step.y());
    pan(step.x());
  }
  update();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != button_ || drag_ == Drag::none) {
    return QWidget::mouseReleaseEvent(event);
  }
  const Drag was = std::exchange(drag_, Drag::none);
  if (was == Drag::mark) end_mark(event->position());
  if (was == Drag::pressed && button_ == Qt::LeftButton) click(event->position());
  if (was == Drag::pressed && button_ == Qt::RightButton) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fill_menu(*menu, event->position());
    menu->popup(event->globalPosition().toPoint());
  }
  hover(event->position());
}

void TimelineView::end_mark(QPointF position) {
  const figure::TimeScale& scale = own_.scene.scale();
  const auto time_at = [&](double x) {
    return scale.invert(std::clamp(x, scale.pixel_min(), scale.pixel_max()));
  };
  const auto [from, to] = std::minmax({time_at(pressed_.x()), time_at(position.x())});
  if (from < to) show_window({from, to});
}

void TimelineView::click(QPointF position) {
  TimelinePane& pane = pane_at(position);
  const TimelinePane::Target target = pane.at(position);
  if (target.row != nullptr && target.row->kind == figure::RowKind::heading) {
    pane.scene.toggle_group(target.row->group);
    return lay_out();
  }
  if (target.row == nullptr || position.x() < pane.scene.plot().left) return;
  if (target.block == nullptr) {
    if (&pane == &own_) selection()->select(std::nullopt);
    return;
  }
  if (target.block->count > 1) {
    zoomed_by_click_.start();
    return zoom_to(pane, {target.block->start_ns, target.block->end_ns});
  }
  // Launches of the baseline do not belong to the run shown in the other views.
  if (&pane != &own_) return;
  const auto launch = launch_of(*own_.scene.run(), {target.row->index, target.block->first});
  if (launch) selection()->select_launch(*launch);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::none;  // the second release is not another click
  if (event->button() != Qt::LeftButton) return;
  // The first click may have zoomed, so the position now shows something else.
  const bool zoomed = zoomed_by_click_.isValid() &&
                      zoomed_by_click_.elapsed() < QApplication::doubleClickInterval();
  if (zoomed) return;
  const TimelinePane& pane = pane_at(event->position());
  const TimelinePane::Target target = pane.at(event->position());
  if (pane.scene.empty() || event->position().x() < pane.scene.plot().left) return;
  if (target.row != nullptr && target.row->kind == figure::RowKind::heading) return;
  if (target.block == nullptr) return show_everything();
  zoom_to(pane, {target.block->start_ns, target.block->end_ns});
}

void TimelineView::leaveEvent(QEvent*) {
  cursor_.reset();
  selection()->hover(std::nullopt);
  update();
}

void TimelineView::hover(QPointF position) {
  TimelinePane& pane = pane_at(position);
  const TimelinePane::Target target = pane.at(position);
  const bool heading = target.row != nullptr && target.row->kind == figure::RowKind::heading;
  setCursor(heading || target.block != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  std::optional<std::size_t> row;
  if (target.block != nullptr && &pane == &own_ && target.block->count == 1) {
    const OpenRun& run = *own_.scene.run();
    const auto launch = launch_of(run, {target.row->index, target.block->first});
    if (launch && run.launches.row[*launch] != LaunchColumns::kNoRow) {
      row = run.launches.row[*launch];
    }
  }
  selection()->hover(row);
  const QString text = tooltip(position);
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(mapToGlobal(position.toPoint()), text, this);
  }
  update();
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  // With the mouse, the menu opens on release, if it was not dragged.
  if (event->reason() == QContextMenuEvent::Mouse) return event->accept();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill_menu(*menu, event->pos());
  menu->popup(event->globalPos());
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (own_.scene.empty() || is_shortcut(*event)) return QWidget::keyPressEvent(event);
  const figure::Rect& plot = own_.scene.plot();
  const double center_px = (plot.left + plot.right) / 2;
  TimelinePane& pane = cursor_ ? pane_at(*cursor_) : own_;
  const double page_px = 0.9 * pane.scene.plot().height();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomPerNotch, center_px);
    case Qt::Key_Minus:
      return zoom(1 / kZoomPerNotch, center_px);
    case Qt::Key_0:
    case Qt::Key_Home:
      return show_everything();
    case Qt::Key_Left:
      return pan(kMoveByKey_px);
    case Qt::Key_Right:
      return pan(-kMoveByKey_px);
    case Qt::Key_Up:
      return scroll(pane, -kMoveByKey_px);
    case Qt::Key_Down:
      return scroll(pane, kMoveByKey_px);
    case Qt::Key_PageUp:
      return scroll(pane, -page_px);
    case Qt::Key_PageDown:
      return scroll(pane, page_px);
    case Qt::Key_S:
      return show_typical_step();
    case Qt::Key_N:
      return step_launch(1);
    case Qt::Key_P:
      return step_launch(-1);
    case Qt::Key_Escape:
      return selection()->select(std::nullopt);
    default:
      QWidget::keyPressEvent(event);
  }
}

void TimelineView::fill_menu(QMenu& menu, QPointF position) {
  TimelinePane& pane = pane_at(position);
  const TimelinePane::Target target = pane.at(position);
  // Capture by value: the visible rows may change before an entry is chosen, and so may the run
  // (reloaded, or replaced by another file). The action is dropped then.
  const auto add = [&, meant = std::weak_ptr(pane.scene.run())](const QString& text, auto action) {
    menu.addAction(text, this, [&pane, meant, action] {
      if (pane.scene.run() == meant.lock()) action();
    });
  };
  if (target.block != nullptr) {
    const figure::TimeSpan span{target.block->start_ns, target.block->end_ns};
    add(tr("Zoom to this"), [this, span, &pane] { zoom_to(pane, span); });
  }
  const bool of_track = target.row != nullptr && target.row->kind == figure::RowKind::track;
  if (of_track && &pane == &own_) {
    for (const FilterChoice& only :
         filters_at(*pane.scene.run(), target.row->index, target.block)) {
      add(only.text, [this, only] {
        ViewFilter filter = selection()->filter();
        only.apply(filter);
        selection()->set_filter(filter);
      });
    }
  }
  if (target.row != nullptr && target.row->kind != figure::RowKind::heading) {
    add(tr("Hide this row"), [this, &pane, row = *target.row] {
      pane.scene.hide(row);
      lay_out();
    });
  }
  menu.addSeparator();
  if (pane.scene.hides_any()) {
    menu.addAction(tr("Show all rows"), this, [this, &pane] {
      pane.scene.show_hidden();
      lay_out();
    });
  }
  if (own_.scene.empty()) return;
  menu.addAction(tr("Zoom to a typical step"), this, [this] { show_typical_step(); });
  menu.addAction(tr("Show the whole timeline"), this, [this] { show_everything(); });
}

}  // namespace mansard::gui
