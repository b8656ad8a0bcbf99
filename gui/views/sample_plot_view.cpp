// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sample_plot_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr double kDotReach_px = 6;  // hit distance from the edge of a dot

}  // namespace

SamplePlotView::SamplePlotView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Samples of the selected ceiling"));
}

void SamplePlotView::set_ceiling(const roofline::Ceiling* ceiling) {
  ceiling_ = ceiling ? std::optional(*ceiling) : std::nullopt;
  laid_out_ = false;
  QString description;
  const auto plot =
      ceiling_ ? figure::layout_sample_plot(*ceiling_, width(), height(), measure_in(font()))
               : std::nullopt;
  if (plot) {
    for (const figure::SampleStrip& strip : plot->strips) {
      description += tr("%1: %2, quartiles %3 and %4. ")
                         .arg(to_qstring(strip.name), to_qstring(strip.middle_name.text),
                              quantity_text(strip.low, strip.unit.c_str()),
                              quantity_text(strip.high, strip.unit.c_str()));
    }
  }
  setAccessibleDescription(description);
  update();
}

const std::optional<figure::Drawing>& SamplePlotView::drawing() const {
  if (!laid_out_) drawing_ = draw(size());
  laid_out_ = true;
  return drawing_;
}

std::optional<figure::Drawing> SamplePlotView::draw(QSizeF size) const {
  if (!ceiling_) return std::nullopt;
  const auto plot =
      figure::layout_sample_plot(*ceiling_, size.width(), size.height(), measure_in(font()));
  if (!plot) return std::nullopt;
  return figure::draw(*plot, *ceiling_);
}

void SamplePlotView::paint_figure(QPainter& painter, QSizeF size) const {
  painter.fillRect(QRectF({0, 0}, size),
                   to_qcolor(figure::surface(theme_of(palette())).background));
  if (!ceiling_) return;
  const auto drawing = draw(size);
  painter.save();
  painter.setFont(font());
  if (drawing) {
    paint(painter, *drawing, theme_of(palette()));
  } else {
    painter.setPen(to_qcolor(surface(theme_of(palette())).text));
    painter.drawText(QRectF({0, 0}, size), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("The machine model contains no samples of this ceiling."));
  }
  painter.restore();
}

bool SamplePlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto link =
      drawing() ? figure::link_at(*drawing(), to_point(help->pos()), kDotReach_px) : std::nullopt;
  if (!link) {
    QToolTip::hideText();
    event->ignore();
    return true;
  }
  const roofline::Sample& s = ceiling_->samples[link->index];
  QStringList lines{tr("Sample %1 of campaign %2").arg(link->index + 1).arg(s.campaign + 1),
                    quantity_text(s.value, ceiling_->unit.c_str())};
  if (s.clock_hz > 0) lines << quantity_text(s.clock_hz, "Hz");
  if (s.power_w > 0) lines << quantity_text(s.power_w, "W");
  if (s.temperature_c > 0) lines << tr("%1 °C").arg(s.temperature_c);
  if (s.throttled) lines << tr("clock throttled");
  if (s.settling) lines << tr("excluded: the clock had not settled yet");
  QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
  return true;
}

void SamplePlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), to_qcolor(figure::surface(theme_of(palette())).background));
  if (drawing()) return paint(painter, *drawing(), theme_of(palette()));
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(
      rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
      ceiling_ ? tr("No samples: the machine model contains only the value of this ceiling.")
               : tr("Select a ceiling to see its samples."));
}

void SamplePlotView::resizeEvent(QResizeEvent*) { laid_out_ = false; }

void SamplePlotView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) laid_out_ = false;
  QWidget::changeEvent(event);
}

}  // namespace mansard::gui
