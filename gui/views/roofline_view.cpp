// SPDX-License-Identifier: Apache-2.0
#include "gui/views/roofline_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "gui/views/roofline_painter.h"
#include "gui/views/theme.h"

namespace mansard {
namespace {

constexpr double kSlack_px = 4;
constexpr double kZoomPerNotch = 1.25;
constexpr double kPanByKey_px = 40;
constexpr double kWheelNotch = 120;  // QWheelEvent counts eighths of a degree, 15 degrees a notch

Point to_point(QPointF p) { return {p.x(), p.y()}; }

}  // namespace

RooflineView::RooflineView(SelectionModel* shared, QWidget* parent) : RunView(shared, parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Roofline"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(shared, &SelectionModel::selected_changed, this, [this] {
    scene_.set_selected(selection()->selected());
    update();
  });
  connect(shared, &SelectionModel::hovered_changed, this, [this] { update(); });
  connect(shared, &SelectionModel::shown_changed, this, [this] {
    scene_.set_shown(*selection()->shown());
    update();
  });
}

void RooflineView::set_run(std::shared_ptr<const OpenRun> run) {
  scene_.set_run(run ? std::shared_ptr<const RunAnalysis>(run, &run->analysis) : nullptr);
  scene_.set_shown(*selection()->shown());
  scene_.set_selected(selection()->selected());
  update();
  Q_EMIT level_changed(scene_.level());
}

void RooflineView::set_level(MemoryLevel level) {
  if (level == scene_.level()) return;
  scene_.set_level(level);
  update();
  Q_EMIT level_changed(level);
}

void RooflineView::show_everything() {
  scene_.reset_zoom();
  update();
}

QString RooflineView::tooltip(const Mark& mark) const {
  const PlanePoint& point = scene_.figure().points[mark.point];
  const KernelRow& row = scene_.run()->rows[point.row];
  QString text =
      QStringLiteral("<b>%1</b> (%2, %3)<br>")
          .arg(display_name(row).toHtmlEscaped(),
               QString::fromStdString(row.operation_class).toHtmlEscaped(), precision_text(row));
  text += tr("%1, %2 of all, %3")
              .arg(quantity_text(row.time_s, "s"), percent_text(row.share),
                   count_text(row.launches, "launch", "launches")) +
          QStringLiteral("<br>");
  text += tr("%1 at %2 (%3)")
              .arg(quantity_text(point.y, "FLOP/s"), intensity_text(point.x),
                   to_qstring(info(scene_.level()).label)) +
          QStringLiteral("<br>");
  text += tr("%1 of its speed of light, bound by %2")
              .arg(percent_text(fraction_of_light(row)), bound_text(row));
  if (mark.count > 1) {
    text += QStringLiteral("<br>") + tr("and %1 at this place; zoom in to part them")
                                         .arg(count_text(static_cast<std::int64_t>(mark.count - 1),
                                                         "more kernel", "more kernels"));
  }
  return text;
}

void RooflineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(font());
  paint_roofline(painter, scene_, theme_of(palette()),
                 {selection()->selected(), selection()->hovered()});
}

void RooflineView::paint_figure(QPainter& painter) const {
  painter.setFont(font());
  paint_roofline(painter, scene_, theme_of(palette()), {selection()->selected(), std::nullopt});
}

std::vector<Table> RooflineView::tables() const {
  if (scene_.run() == nullptr) return {};
  return analysis_registry().find("roofline")->run(*scene_.run()).tables;
}

void RooflineView::resizeEvent(QResizeEvent*) { scene_.set_size(size(), QFontMetricsF(font())); }

void RooflineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) scene_.set_size(size(), QFontMetricsF(font()));
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

const Mark* RooflineView::mark_under(QPointF position) const {
  if (!scene_.plot().contains(to_point(position))) return nullptr;
  const auto found = mark_at(scene_.marks(), to_point(position), kSlack_px);
  return found ? &scene_.marks()[*found] : nullptr;
}

const LegendItem* RooflineView::legend_under(QPointF position) const {
  const auto found = std::ranges::find_if(scene_.legend(), [&](const LegendItem& entry) {
    return entry.area.contains(to_point(position));
  });
  return found == scene_.legend().end() ? nullptr : &*found;
}

void RooflineView::wheelEvent(QWheelEvent* event) {
  // As in the report's page. With these keys some systems report a horizontal wheel.
  const bool only_x = event->modifiers() & Qt::ShiftModifier;
  const bool only_y = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier);
  const QPoint angle = event->angleDelta();
  const bool sideways = (only_x || only_y) && angle.y() == 0;
  const double notches = (sideways ? angle.x() : angle.y()) / kWheelNotch;
  if (notches == 0) {
    event->ignore();
    return;
  }
  const double factor = std::pow(kZoomPerNotch, notches);
  scene_.zoom(only_y ? 1 : factor, only_x ? 1 : factor, to_point(event->position()));
  update();
  event->accept();
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  pressed_ = dragged_to_ = event->position();
  armed_ = true;
  dragging_ = false;
}

void RooflineView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) {
    hover(event->position());
    return;
  }
  if (!armed_) return;
  if (!dragging_) {
    const QPointF moved = event->position() - pressed_;
    // A hand that shakes while clicking does not mean to pan.
    if (moved.manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
  }
  const QPointF step = event->position() - dragged_to_;
  dragged_to_ = event->position();
  scene_.pan(step.x(), step.y());
  update();
}

void RooflineView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  // The second release of a double click is none of its own.
  if (armed_ && !dragging_) click(event->position());
  armed_ = dragging_ = false;
  hover(event->position());
}

void RooflineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) show_everything();
}

void RooflineView::leaveEvent(QEvent*) { selection()->hover(std::nullopt); }

void RooflineView::hover(QPointF position) {
  const Mark* mark = mark_under(position);
  const bool hand = mark != nullptr || legend_under(position) != nullptr;
  setCursor(hand ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (mark == nullptr) {
    selection()->hover(std::nullopt);
    QToolTip::hideText();
    return;
  }
  selection()->hover(scene_.figure().points[mark->point].row);
  QToolTip::showText(mapToGlobal(position.toPoint()), tooltip(*mark), this);
}

void RooflineView::click(QPointF position) {
  if (const LegendItem* entry = legend_under(position)) {
    const QString name = QString::fromStdString(entry->operation_class);
    const bool only_it = selection()->filter().operation_class == name;
    return selection()->set_operation_class(only_it ? QString() : name);
  }
  const Mark* mark = mark_under(position);
  if (mark == nullptr) {
    selection()->select(std::nullopt);
  } else {
    selection()->select(scene_.figure().points[mark->point].row);
  }
}

void RooflineView::zoom_at_centre(double factor) {
  const Rect& plot = scene_.plot();
  scene_.zoom(factor, factor, {(plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2});
  update();
}

void RooflineView::select_next(int step) {
  if (scene_.run() == nullptr) return;
  const ShownLaunches& shown = *selection()->shown();
  const auto& rows = scene_.run()->rows;
  const auto count = static_cast<std::ptrdiff_t>(rows.size());
  auto row = selection()->selected() ? static_cast<std::ptrdiff_t>(*selection()->selected())
                                     : (step > 0 ? -1 : count);
  for (row += step; row >= 0 && row < count; row += step) {
    const auto index = static_cast<std::size_t>(row);
    if (!shown.shows(index)) continue;
    selection()->select(index);
    return;
  }
}

void RooflineView::next_level() {
  const std::vector<MemoryLevel>& levels = scene_.levels();
  if (levels.empty()) return;
  auto here = std::ranges::find(levels, scene_.level());
  if (here != levels.end()) ++here;
  set_level(here == levels.end() ? levels.front() : *here);
}

void RooflineView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom_at_centre(kZoomPerNotch);
    case Qt::Key_Minus:
      return zoom_at_centre(1 / kZoomPerNotch);
    case Qt::Key_0:
    case Qt::Key_Home:
      return show_everything();
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
    case Qt::Key_Escape:
      return selection()->select(std::nullopt);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace mansard
