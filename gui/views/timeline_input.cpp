// SPDX-License-Identifier: Apache-2.0
// Mouse and keys of the timeline.
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "gui/models/launch_slices.h"
#include "gui/views/timeline_facts.h"
#include "gui/views/timeline_view.h"
#include "gui/views/view_keys.h"

namespace mansard::gui {
namespace {

constexpr double kSlack_px = 3;
constexpr double kZoomPerNotch = 1.25;
constexpr double kPanByNotch_px = 80;
constexpr double kMoveByKey_px = 40;
constexpr double kWheelNotch = 120;  // QWheelEvent counts eighths of a degree, 15 degrees a notch

}  // namespace

TimelineView::Pane& TimelineView::pane_at(QPointF position) {
  return comparing_ && position.y() >= baseline_.area.top ? baseline_ : own_;
}

TimelineView::Target TimelineView::target_at(QPointF position) const {
  Target target;
  target.pane = &const_cast<TimelineView*>(this)->pane_at(position);
  const TimelineScene& scene = target.pane->scene;
  if (scene.empty()) return target;
  target.row = scene.row_at(position.y());
  const bool in_plot = position.x() >= scene.plot().left && position.x() <= scene.plot().right;
  if (target.row != nullptr && in_plot) {
    target.block = TimelineScene::block_at(*target.row, position.x(), kSlack_px);
  }
  return target;
}

QString TimelineView::tooltip(QPointF position) const {
  const Target target = target_at(position);
  if (target.row == nullptr) return {};
  const OpenRun& run = *target.pane->scene.run();
  if (target.block != nullptr) return facts_of_block(run, target.row->index, *target.block);
  if (target.row->kind != figure::GroupedRow::Kind::line) return {};
  if (position.x() < target.pane->scene.plot().left) return {};
  return facts_of_line(run, target.row->index, target.pane->scene.scale().invert(position.x()));
}

void TimelineView::zoom(double factor, double x_px) {
  own_.scene.zoom(factor, x_px);
  window_moved();
}

void TimelineView::pan(double dx_px) {
  own_.scene.pan(dx_px);
  window_moved();
}

void TimelineView::scroll(Pane& pane, double dy_px) {
  pane.scene.scroll_to(pane.scene.scroll_px() + dy_px);
  pane.bar->setValue(static_cast<int>(std::lround(pane.scene.scroll_px())));
  refresh();
}

void TimelineView::zoom_to(const Pane& pane, const figure::TimeSpan& span) {
  const std::int64_t margin_ns = (span.end_ns - span.start_ns) / 8;
  const std::int64_t apart_ns = own_.step_ns - pane.step_ns;
  show_window({span.start_ns - margin_ns + apart_ns, span.end_ns + margin_ns + apart_ns});
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  Pane& pane = pane_at(event->position());
  if (pane.scene.empty()) return event->ignore();
  const QPoint angle = event->angleDelta();
  const bool sideways =
      std::abs(angle.x()) > std::abs(angle.y()) || (event->modifiers() & Qt::ShiftModifier);
  if (sideways) {
    // With Shift some systems report a horizontal wheel themselves.
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
    // A hand that shakes while clicking does not mean to pan.
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
  const Target target = target_at(position);
  if (target.row != nullptr && target.row->kind == figure::GroupedRow::Kind::heading) {
    target.pane->scene.toggle_group(target.row->group);
    return lay_out();
  }
  if (target.row == nullptr || position.x() < target.pane->scene.plot().left) return;
  if (target.block == nullptr) {
    if (target.pane == &own_) selection()->select(std::nullopt);
    return;
  }
  if (target.block->count > 1) {
    zoomed_by_click_.start();
    return zoom_to(*target.pane, {target.block->start_ns, target.block->end_ns});
  }
  // Launches of the baseline are none of the run that all views show.
  if (target.pane != &own_) return;
  const auto launch = launch_of(*own_.scene.run(), {target.row->index, target.block->first});
  if (launch) selection()->select_launch(*launch);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::none;  // the second release is no click of its own
  if (event->button() != Qt::LeftButton) return;
  // What the first click has zoomed into is something else than what was meant.
  const bool zoomed = zoomed_by_click_.isValid() &&
                      zoomed_by_click_.elapsed() < QApplication::doubleClickInterval();
  if (zoomed) return;
  const Target target = target_at(event->position());
  if (target.pane->scene.empty() || event->position().x() < target.pane->scene.plot().left) return;
  if (target.row != nullptr && target.row->kind == figure::GroupedRow::Kind::heading) return;
  if (target.block == nullptr) return show_everything();
  zoom_to(*target.pane, {target.block->start_ns, target.block->end_ns});
}

void TimelineView::leaveEvent(QEvent*) {
  cursor_.reset();
  selection()->hover(std::nullopt);
  update();
}

void TimelineView::hover(QPointF position) {
  const Target target = target_at(position);
  const bool heading =
      target.row != nullptr && target.row->kind == figure::GroupedRow::Kind::heading;
  setCursor(heading || target.block != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  std::optional<std::size_t> row;
  if (target.block != nullptr && target.pane == &own_ && target.block->count == 1) {
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
  // The mouse's comes when its button is released, if it was not dragged.
  if (event->reason() == QContextMenuEvent::Mouse) return event->accept();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill_menu(*menu, event->pos());
  menu->popup(event->globalPos());
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (own_.scene.empty() || is_shortcut(*event)) return QWidget::keyPressEvent(event);
  const figure::Rect& plot = own_.scene.plot();
  const double centre_px = (plot.left + plot.right) / 2;
  Pane& pane = cursor_ ? pane_at(*cursor_) : own_;
  const double page_px = 0.9 * pane.scene.plot().height();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomPerNotch, centre_px);
    case Qt::Key_Minus:
      return zoom(1 / kZoomPerNotch, centre_px);
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

}  // namespace mansard::gui
