// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_pane.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_facts.h"
#include "reports/figure/shown_step.h"

namespace mansard::gui {

TimelinePane::TimelinePane(QWidget* view) : bar(new QScrollBar(Qt::Vertical, view)), view_(view) {
  bar->setAccessibleName(QObject::tr("Rows of the timeline"));
  bar->hide();
}

void TimelinePane::set_run(std::shared_ptr<const OpenRun> run) {
  step_ = run ? figure::shown_step(run->timeline, run->steps).window : figure::TimeSpan();
  scene.set_run(std::move(run));
}

bool TimelinePane::place(const figure::Rect& area, double caption_px, bool room) {
  const double line_px = QFontMetricsF(view_->font()).height();
  const int bar_px = bar->sizeHint().width();
  area_ = area;
  caption_px_ = caption_px;
  const double rows_top = std::min(area.top + caption_px, area.bottom - 1);
  scene.set_area({area.left, rows_top, area.right - 1, area.bottom}, line_px);
  const bool scrolls = !scene.empty() && scene.most_scroll_px() > 0 && area.width() > 3 * bar_px;
  if (scrolls || room) {
    scene.set_area({area.left, rows_top, area.right - bar_px, area.bottom}, line_px);
  }
  const QSignalBlocker blocker(bar);
  bar->setVisible(scrolls);
  const double scrolled_px = scene.plot().bottom - scene.pinned_bottom();
  bar->setGeometry(static_cast<int>(area.right) - bar_px, static_cast<int>(scene.pinned_bottom()),
                   bar_px, static_cast<int>(scrolled_px));
  bar->setPageStep(static_cast<int>(scrolled_px));
  bar->setSingleStep(static_cast<int>(2 * line_px));
  bar->setRange(0, static_cast<int>(std::ceil(scene.most_scroll_px())));
  bar->setValue(static_cast<int>(std::lround(scene.scroll_px())));
  return scrolls;
}

void TimelinePane::scroll(double dy_px) {
  scene.scroll_to(scene.scroll_px() + dy_px);
  bar->setValue(static_cast<int>(std::lround(scene.scroll_px())));
}

TimelinePane::Target TimelinePane::at(QPointF position) const {
  constexpr double kSlack_px = 3;
  if (scene.empty()) return {};
  Target target{scene.row_at(position.y()), nullptr};
  const bool in_plot = position.x() >= scene.plot().left && position.x() <= scene.plot().right;
  if (target.row != nullptr && in_plot) {
    target.block = figure::block_at(target.row->blocks, position.x(), kSlack_px);
  }
  return target;
}

QString TimelinePane::tooltip(QPointF position) const {
  const Target target = at(position);
  if (target.row == nullptr) return {};
  const OpenRun& run = *scene.run();
  if (target.block != nullptr) return facts_of_block(run, target.row->index, *target.block);
  if (target.row->kind != figure::RowKind::line) return {};
  if (position.x() < scene.plot().left) return {};
  return facts_of_line(run, target.row->index, scene.scale().invert(position.x()));
}

void TimelinePane::paint(QPainter& on, const TimelineMarks* marks, figure::Theme theme) {
  painter.draw(scene, marks, on.font());
  painter.paint(on, theme);
}

void TimelinePane::write_caption(QPainter& on, const QString& text, figure::Theme theme) const {
  on.setPen(to_qcolor(figure::surface(theme).text));
  on.drawText(QRectF(area_.left + 6, area_.top, area_.width() - 12, caption_px_),
              Qt::AlignLeft | Qt::AlignVCenter, text);
}

void TimelinePane::write_instead(QPainter& on, const QString& text, figure::Theme theme) const {
  on.setPen(to_qcolor(figure::surface(theme).faint_text));
  on.drawText(to_qrect(area_).adjusted(8, caption_px_, -8, 0), Qt::AlignCenter | Qt::TextWordWrap,
              text);
}

}  // namespace mansard::gui
