// SPDX-License-Identifier: Apache-2.0
// The timeline's mouse, keys and context menu.
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/models/launch_slices.h"
#include "gui/views/timeline_view.h"
#include "gui/views/view_keys.h"
#include "gui/views/wheel.h"

namespace mansard::gui {
namespace {

constexpr double kPanByNotch_px = 80;
constexpr double kMoveByKey_px = 40;
constexpr double kPanByKey = 0.2;  // of the visible time

}  // namespace

void TimelineView::wheelEvent(QWheelEvent* event) {
  TimelinePane& pane = pane_at(event->position());
  if (pane.scene.empty()) return event->ignore();
  const QPoint angle = event->angleDelta();
  const bool sideways =
      std::abs(angle.x()) > std::abs(angle.y()) || (event->modifiers() & Qt::ShiftModifier);
  if (sideways) {
    // With Shift, some systems report a horizontal wheel.
    const int turned = angle.x() != 0 ? angle.x() : angle.y();
    pan(wheel_notches(turned) * kPanByNotch_px);
  } else if (event->position().x() < pane.scene.plot().left) {
    scroll(pane, -wheel_notches(angle.y()) * kPanByNotch_px);
  } else {
    zoom(std::pow(kZoomPerNotch, wheel_notches(angle.y())), event->position().x());
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
  if (from < to) selection()->set_window(figure::TimeSpan{from, to});
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
    if (&pane == &own_) clear_selection();
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
  const double pan_px = kPanByKey * plot.width();
  const figure::TimeSpan window = own_.scene.window();
  const figure::TimeSpan& limits = own_.scene.scale().limits();
  const std::int64_t length_ns = window.end_ns - window.start_ns;
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomPerNotch, center_px);
    case Qt::Key_S:
    case Qt::Key_Minus:
      return zoom(1 / kZoomPerNotch, center_px);
    case Qt::Key_A:
    case Qt::Key_Left:
      return pan(pan_px);
    case Qt::Key_D:
    case Qt::Key_Right:
      return pan(-pan_px);
    case Qt::Key_0:
      return show_typical_step();
    case Qt::Key_Home:
      return show_window({limits.start_ns, limits.start_ns + length_ns});
    case Qt::Key_End:
      return show_window({limits.end_ns - length_ns, limits.end_ns});
    case Qt::Key_Up:
      return scroll(pane, -kMoveByKey_px);
    case Qt::Key_Down:
      return scroll(pane, kMoveByKey_px);
    case Qt::Key_PageUp:
      return scroll(pane, -page_px);
    case Qt::Key_PageDown:
      return scroll(pane, page_px);
    case Qt::Key_BracketRight:
      return show_step(1);
    case Qt::Key_BracketLeft:
      return show_step(-1);
    case Qt::Key_N:
      return step_launch(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case Qt::Key_P:
      return step_launch(-1);
    case Qt::Key_T:
      return toggle_pin_by_key();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return select_visible();
    case Qt::Key_Z:
      return zoom_to_selection();
    case Qt::Key_Escape:
      return clear_selection();
    default:
      QWidget::keyPressEvent(event);
  }
}

void TimelineView::toggle_pin(TimelinePane& pane, const figure::TimelineRow& row) {
  pane.scene.set_pinned(row, !pane.scene.is_pinned(row));
  lay_out();
  if (&pane == &own_) Q_EMIT pins_changed();
}

// The row under the cursor, otherwise that of the selected launch.
void TimelineView::toggle_pin_by_key() {
  if (cursor_) {
    TimelinePane& pane = pane_at(*cursor_);
    const figure::TimelineRow* row = pane.at(*cursor_).row;
    if (row != nullptr) toggle_pin(pane, figure::TimelineRow(*row));
    return;
  }
  const figure::TimelineRow* row =
      marks_.launch() ? own_.scene.row_of(marks_.launch()->track) : nullptr;
  if (row != nullptr) toggle_pin(own_, figure::TimelineRow(*row));
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
    if (&pane == &own_) {
      add(tr("Select this interval"), [this, span] { selection()->set_window(span); });
    }
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
    add(pane.scene.is_pinned(*target.row) ? tr("Unpin this row") : tr("Pin this row to the top"),
        [this, &pane, row = *target.row] { toggle_pin(pane, row); });
    add(tr("Hide this row"), [this, &pane, row = *target.row] {
      pane.scene.hide(row);
      lay_out();
    });
  }
  if (target.row != nullptr && target.row->kind == figure::RowKind::heading) {
    add(pane.scene.is_pinned(*target.row) ? tr("Unpin these rows")
                                          : tr("Pin these rows to the top"),
        [this, &pane, row = *target.row] { toggle_pin(pane, row); });
  }
  menu.addSeparator();
  if (!pane.scene.pins().empty()) {
    menu.addAction(tr("Unpin all rows"), this, [this, &pane] {
      pane.scene.set_pins({});
      lay_out();
      if (&pane == &own_) Q_EMIT pins_changed();
    });
  }
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
