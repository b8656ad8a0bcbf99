// SPDX-License-Identifier: Apache-2.0
// Mouse and keys of a plane.
#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/plane_controls.h"
#include "gui/views/plane_tooltip.h"
#include "gui/views/plane_view.h"
#include "gui/views/wheel.h"

namespace mansard::gui {
namespace {

constexpr double kMarkSlack_px = 4;
constexpr double kPanByKey_px = 40;

}  // namespace

const figure::Mark* PlaneView::mark_under(const std::vector<figure::Mark>& marks,
                                          QPointF position) const {
  if (!scene().plot().contains(to_point(position))) return nullptr;
  const auto found = figure::mark_at(marks, to_point(position), kMarkSlack_px);
  return found ? &marks[*found] : nullptr;
}

const figure::ClassKey* PlaneView::legend_under(QPointF position) const {
  const auto found = std::ranges::find_if(
      scene().layout().legend,
      [&](const figure::ClassKey& key) { return key.area.contains(to_point(position)); });
  return found == scene().layout().legend.end() ? nullptr : &*found;
}

// Whether a count of points outside the plot is under the pointer.
bool PlaneView::beyond_under(QPointF position) const {
  return std::ranges::any_of(scene().layout().beyond, [&](const figure::NamedBox& beyond) {
    return figure::overlap(beyond.box, {to_point(position), 1, 1, 0});
  });
}

void PlaneView::wheelEvent(QWheelEvent* event) {
  // As in the HTML report. With these keys, some systems report a horizontal wheel.
  const bool only_x = event->modifiers() & Qt::ShiftModifier;
  const bool only_y = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier);
  const QPoint angle = event->angleDelta();
  const bool sideways = (only_x || only_y) && angle.y() == 0;
  const double notches = wheel_notches(sideways ? angle.x() : angle.y());
  if (notches == 0) {
    event->ignore();
    return;
  }
  const double factor = std::pow(kZoomPerNotch, notches);
  catch_up();
  scene_.zoom(only_y ? 1 : factor, only_x ? 1 : factor, to_point(event->position()));
  update();
  event->accept();
}

void PlaneView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  pressed_ = dragged_to_ = event->position();
  armed_ = true;
  dragging_ = false;
}

void PlaneView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) {
    hover(event->position());
    return;
  }
  if (!armed_) return;
  if (!dragging_) {
    const QPointF moved = event->position() - pressed_;
    // Ignore small movements while clicking.
    if (moved.manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
  }
  const QPointF step = event->position() - dragged_to_;
  dragged_to_ = event->position();
  scene_.pan(step.x(), step.y());
  update();
}

void PlaneView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  // The second release of a double click is not another click.
  if (armed_ && !dragging_) click(event->position());
  armed_ = dragging_ = false;
  hover(event->position());
}

void PlaneView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) show_everything();
}

void PlaneView::leaveEvent(QEvent*) { selection()->hover(std::nullopt); }

void PlaneView::hover(QPointF position) {
  QString text;
  std::optional<std::size_t> row;
  bool hand = legend_under(position) != nullptr;
  if (const figure::Mark* mark = mark_under(scene().layout().marks, position)) {
    row = scene().figure().points[mark->point].row;
    text = tooltip(*mark);
  } else if (const figure::Mark* theirs = mark_under(scene().layout().baseline_marks, position)) {
    row = scene().baseline()->matches.in_run(scene().baseline()->figure.points[theirs->point].row);
    text = baseline_tooltip(scene(), *theirs);
  } else if (const figure::LaunchesNear near = launches_at(position); near.launches > 0) {
    row = near.rows.front().row;
    text = launches_tooltip(scene(), near);
  } else if (beyond_under(position)) {
    text = tr("Kernels outside the shown decades. Click, or press A, to show all decades.");
    hand = true;
  }
  hand = hand || row.has_value();
  setCursor(hand ? Qt::PointingHandCursor : Qt::ArrowCursor);
  selection()->hover(row);
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(mapToGlobal(position.toPoint()), text, this);
  }
}

void PlaneView::click(QPointF position) {
  if (const figure::ClassKey* key = legend_under(position)) {
    const QString name = QString::fromStdString(key->operation_class.name());
    const bool only_it = selection()->filter().operation_class == name;
    return selection()->set_operation_class(only_it ? QString() : name);
  }
  if (const figure::Mark* mark = mark_under(scene().layout().marks, position)) {
    return selection()->select(scene().figure().points[mark->point].row);
  }
  if (const figure::Mark* theirs = mark_under(scene().layout().baseline_marks, position)) {
    const PlaneBaseline& baseline = *scene().baseline();
    return selection()->select(baseline.matches.in_run(baseline.figure.points[theirs->point].row));
  }
  const figure::LaunchesNear near = launches_at(position);
  if (near.nearest) return selection()->select_launch(*near.nearest);
  if (beyond_under(position)) return show_all();
  selection()->select(std::nullopt);
}

void PlaneView::zoom_at_center(double factor) {
  const figure::Rect plot = scene().plot();
  scene_.zoom(factor, factor, {(plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2});
  update();
}

void PlaneView::select_next(int step) {
  if (scene().run() == nullptr) return;
  const ShownLaunches& shown = *selection()->shown();
  const auto count = static_cast<std::ptrdiff_t>(scene().run()->rows.size());
  auto row = selection()->selected() ? static_cast<std::ptrdiff_t>(*selection()->selected())
                                     : (step > 0 ? -1 : count);
  for (row += step; row >= 0 && row < count; row += step) {
    const auto index = static_cast<std::size_t>(row);
    if (!shown.shows(index)) continue;
    selection()->select(index);
    return;
  }
}

void PlaneView::next_level() {
  const std::vector<MemoryLevel>& levels = scene().levels();
  if (levels.empty()) return;
  auto here = std::ranges::find(levels, scene().level().value_or(levels.back()));
  if (here != levels.end()) ++here;
  PlaneOptions options = scene().options();
  options.level = here == levels.end() ? levels.front() : *here;
  set_options(options);
}

void PlaneView::next_marks() {
  if (!scene().has_density()) return;
  PlaneOptions options = scene().options();
  switch (options.marks) {
    case PlaneMarks::kernels:
      options.marks = PlaneMarks::launches;
      break;
    case PlaneMarks::launches:
      options.marks = PlaneMarks::both;
      break;
    case PlaneMarks::both:
      options.marks = PlaneMarks::kernels;
      break;
  }
  set_options(options);
}

void PlaneView::contextMenuEvent(QContextMenuEvent* event) {
  controls_->menu()->popup(event->globalPos());
  event->accept();
}

void PlaneView::keyPressEvent(QKeyEvent* event) {
  catch_up();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom_at_center(kZoomPerNotch);
    case Qt::Key_Minus:
      return zoom_at_center(1 / kZoomPerNotch);
    case Qt::Key_0:
    case Qt::Key_Home:
      return show_everything();
    case Qt::Key_A:
      return show_all();
    case Qt::Key_Left:
      scene_.pan(kPanByKey_px, 0);
      return update();
    case Qt::Key_Right:
      scene_.pan(-kPanByKey_px, 0);
      return update();
    case Qt::Key_Up:
      scene_.pan(0, kPanByKey_px);
      return update();
    case Qt::Key_Down:
      scene_.pan(0, -kPanByKey_px);
      return update();
    case Qt::Key_N:
      return select_next(1);
    case Qt::Key_P:
      return select_next(-1);
    case Qt::Key_T:
      return next_level();
    case Qt::Key_D:
      return next_marks();
    case Qt::Key_M:
      return controls_->menu()->popup(mapToGlobal(controls_->geometry().bottomLeft()));
    case Qt::Key_Escape:
      return selection()->select(std::nullopt);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace mansard::gui
