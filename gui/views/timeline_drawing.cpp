// SPDX-License-Identifier: Apache-2.0
// How the timeline draws itself, and what only the cursor adds: the time under it, and the stretch
// being marked.
#include <QFontMetricsF>
#include <QPainter>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_facts.h"
#include "gui/views/timeline_view.h"
#include "reports/figure/time_ticks.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

// As many digits as pixels tell apart.
std::int64_t readable(std::int64_t time_ns, double ns_per_px) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, ns_per_px))));
  const auto step = static_cast<std::int64_t>(power);
  return time_ns / step * step;
}

}  // namespace

TimelineMarks TimelineView::marks_of(const Pane& pane) const {
  if (&pane != &own_) return {};  // rows and launches of another run are others
  return {filter_.passes_all() ? nullptr : &filter_, selected_.get(), hovered_.get(), launch_,
          call_};
}

QString TimelineView::empty_text(const OpenRun* run) const {
  if (run == nullptr) return no_run_text();
  if (run->analysis.rows.empty()) return tr("No timeline: this file holds no launches.");
  return tr("No timeline: this recording does not say when its work ran.");
}

void TimelineView::paint_pane(QPainter& painter, const Pane& pane) const {
  const figure::Surface& colours = figure::surface(theme_of(palette()));
  const OpenRun* run = pane.scene.run().get();
  const QRectF area = to_qrect(pane.area);
  if (comparing_) {
    const QRectF caption(area.left() + 6, area.top(), area.width() - 12, caption_px());
    painter.setPen(to_qcolor(colours.text));
    const QString title = to_qstring(one_line(run->analysis.title));
    painter.drawText(
        caption, Qt::AlignLeft | Qt::AlignVCenter,
        &pane == &own_ ? tr("%1, this run").arg(title) : tr("%1, the baseline").arg(title));
  }
  if (pane.scene.empty()) {
    painter.setPen(to_qcolor(colours.faint_text));
    painter.drawText(area.adjusted(8, caption_px(), -8, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     empty_text(run));
    return;
  }
  pane.names.set(pane.scene.run(), painter.font());
  paint_timeline(painter, pane.scene, theme_of(palette()), marks_of(pane), pane.names);
}

void TimelineView::paint(QPainter& painter) const {
  const figure::Surface& colours = figure::surface(theme_of(palette()));
  painter.setFont(font());
  painter.fillRect(rect(), to_qcolor(colours.background));
  paint_pane(painter, own_);
  if (!comparing_) return;
  paint_pane(painter, baseline_);
  painter.fillRect(QRectF(0, baseline_.area.top, width(), 1), to_qcolor(colours.axis));
}

void TimelineView::paint_figure(QPainter& painter) const { paint(painter); }

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
  if (own_.scene.empty()) return;
  paint_ruler(painter, own_);
  if (comparing_ && !baseline_.scene.empty()) paint_ruler(painter, baseline_);
}

void TimelineView::paint_ruler(QPainter& painter, const Pane& pane) const {
  const figure::Rect& plot = pane.scene.plot();
  if (drag_ == Drag::mark) return paint_marked(painter, pane);
  if (!cursor_ || drag_ == Drag::pan || cursor_->x() < plot.left || cursor_->x() > plot.right) {
    return;
  }
  const figure::Surface& colours = figure::surface(theme_of(palette()));
  const double x = std::round(cursor_->x());
  painter.fillRect(QRectF(x, plot.top, 1, plot.height()), to_qcolor(colours.axis));
  const figure::TimeScale& scale = pane.scene.scale();
  const std::int64_t since_zero_ns =
      scale.invert(cursor_->x()) - pane.scene.run()->timeline.zero_ns;
  const QString text = to_qstring(figure::exact_time(readable(since_zero_ns, scale.ns_per_px())));
  const QFontMetricsF metrics(painter.font());
  const double half_px = metrics.horizontalAdvance(text) / 2 + 3;
  const double middle = std::max(plot.left + half_px, std::min(x, plot.right - half_px));
  draw_plate(painter,
             {{middle, plot.top - 5 - metrics.height() / 2}, 2 * half_px, metrics.height(), 0},
             text, to_qcolor(colours.text), to_qcolor(colours.background));
}

void TimelineView::paint_marked(QPainter& painter, const Pane& pane) const {
  const figure::Rect& plot = pane.scene.plot();
  const double from = std::clamp(pressed_.x(), plot.left, plot.right);
  const double to = std::clamp(dragged_to_.x(), plot.left, plot.right);
  const figure::Surface& colours = figure::surface(theme_of(palette()));
  const QRectF area(std::min(from, to), plot.top, std::abs(to - from), plot.height());
  QColor veil = to_qcolor(colours.accent);
  veil.setAlphaF(0.15F);
  painter.fillRect(area, veil);
  for (const double x : {area.left(), area.right()}) {
    painter.fillRect(QRectF(std::round(x), plot.top, 1, plot.height()), to_qcolor(colours.accent));
  }
  const figure::TimeScale& scale = pane.scene.scale();
  const QString text = duration_text(scale.invert(area.right()) - scale.invert(area.left()));
  const QFontMetricsF metrics(painter.font());
  const double width_px = metrics.horizontalAdvance(text) + 6;
  draw_plate(painter,
             {{std::clamp(area.center().x(), plot.left + width_px / 2,
                          std::max(plot.left + width_px / 2, plot.right - width_px / 2)),
               plot.top + metrics.height()},
              width_px,
              metrics.height(),
              0},
             text, to_qcolor(colours.text), to_qcolor(colours.background));
}

}  // namespace mansard::gui
