// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sample_plot_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/views/chart_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr double kDot_px = 2.2;
constexpr double kManyDots_px = 1.4;
constexpr std::size_t kMany = 600;
constexpr double kReach_px = 8;

class Drawing {
 public:
  Drawing(QPainter& painter, const figure::SamplePlot& figure, const roofline::Ceiling& ceiling,
          figure::Theme theme)
      : painter_(painter),
        figure_(figure),
        ceiling_(ceiling),
        theme_(theme),
        colours_(surface(theme)) {}

  void draw() {
    for (std::size_t i = 0; i < figure_.strips.size(); ++i) draw_ground(figure_.strips[i]);
    painter_.setPen(QPen(to_qcolor(colours_.axis), 1, Qt::DashLine));
    for (const figure::Segment& s : figure_.campaigns)
      painter_.drawLine(to_qpoint(s.a), to_qpoint(s.b));
    for (std::size_t i = 0; i < figure_.strips.size(); ++i) {
      draw_dots(figure_.strips[i], i == 0 ? colours_.compute : colours_.faint_text);
    }
    for (const figure::PlacedText& name : figure_.tick_names) text(name, colours_.text);
    text(figure_.axis_name, colours_.faint_text);
  }

 private:
  void draw_ground(const figure::SampleStrip& strip) {
    const QColor grid = to_qcolor(colours_.grid);
    for (std::size_t i = 0; i < strip.ticks.size(); ++i) {
      const double y = std::floor(strip.ticks[i].pixel) + 0.5;
      painter_.setPen(QPen(grid, 1));
      painter_.drawLine(QPointF(strip.plot.left, y), QPointF(strip.plot.right, y));
      text(strip.tick_names[i], colours_.text);
    }
    QColor band = to_qcolor(figure::mark_style("gemm", theme_).colour);
    band.setAlphaF(0.16F);
    painter_.fillRect(to_qrect(strip.quartiles), band);
    painter_.setPen(QPen(to_qcolor(figure::mark_style("gemm", theme_).colour), 1.5));
    painter_.drawLine(to_qpoint(strip.middle_line.a), to_qpoint(strip.middle_line.b));
    text(strip.title, colours_.faint_text);
    text(strip.middle_name, colours_.text);
  }

  // Those of a clock that was held down in the colour of loss; hollow before it had settled.
  void draw_dots(const figure::SampleStrip& strip, figure::Rgb usual) {
    const double radius = strip.dots.size() > kMany ? kManyDots_px : kDot_px;
    for (const figure::SampleDot& dot : strip.dots) {
      const roofline::Sample& sample = ceiling_.samples[dot.sample];
      const QColor colour = to_qcolor(sample.throttled ? colours_.loss : usual);
      painter_.setPen(sample.settling ? QPen(colour, 1) : QPen(Qt::NoPen));
      painter_.setBrush(sample.settling ? QBrush(Qt::NoBrush) : QBrush(colour));
      painter_.drawEllipse(to_qpoint(dot.at), radius, radius);
    }
  }

  void text(const figure::PlacedText& placed, figure::Rgb colour) {
    painter_.setPen(to_qcolor(colour));
    painter_.drawText(to_qrect(placed.box), Qt::AlignCenter | Qt::TextDontClip,
                      to_qstring(placed.text));
  }

  QPainter& painter_;
  const figure::SamplePlot& figure_;
  const roofline::Ceiling& ceiling_;
  figure::Theme theme_;
  const figure::Surface& colours_;
};

}  // namespace

SamplePlotView::SamplePlotView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Samples of the chosen ceiling"));
}

void SamplePlotView::set_ceiling(const roofline::Ceiling* ceiling) {
  ceiling_ = ceiling ? std::optional(*ceiling) : std::nullopt;
  laid_out_ = false;
  QString description;
  if (const auto& plot = figure()) {
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

const std::optional<figure::SamplePlot>& SamplePlotView::figure() const {
  if (!laid_out_) {
    laid_out_ = true;
    figure_.reset();
    if (ceiling_)
      figure_ = figure::layout_sample_plot(*ceiling_, width(), height(), measure_in(font()));
  }
  return figure_;
}

void SamplePlotView::paint_figure(QPainter& painter, QSizeF size) const {
  painter.fillRect(QRectF({0, 0}, size),
                   to_qcolor(figure::surface(theme_of(palette())).background));
  if (!ceiling_) return;
  const auto plot =
      figure::layout_sample_plot(*ceiling_, size.width(), size.height(), measure_in(font()));
  painter.save();
  painter.setFont(font());
  if (!plot) {
    painter.setPen(to_qcolor(surface(theme_of(palette())).text));
    painter.drawText(QRectF({0, 0}, size), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("The machine model keeps no samples of this ceiling."));
    return painter.restore();
  }
  painter.setRenderHint(QPainter::Antialiasing);
  Drawing(painter, *plot, *ceiling_, theme_of(palette())).draw();
  painter.restore();
}

bool SamplePlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const figure::Point at{static_cast<double>(help->pos().x()),
                         static_cast<double>(help->pos().y())};
  const auto sample = figure() ? figure::sample_at(*figure(), at, kReach_px) : std::nullopt;
  if (!sample) {
    QToolTip::hideText();
    event->ignore();
    return true;
  }
  const roofline::Sample& s = ceiling_->samples[*sample];
  QStringList lines{tr("Sample %1 of campaign %2").arg(*sample + 1).arg(s.campaign + 1),
                    quantity_text(s.value, ceiling_->unit.c_str())};
  if (s.clock_hz > 0) lines << quantity_text(s.clock_hz, "Hz");
  if (s.power_w > 0) lines << quantity_text(s.power_w, "W");
  if (s.temperature_c > 0) lines << tr("%1 degC").arg(s.temperature_c);
  if (s.throttled) lines << tr("the clock was held down");
  if (s.settling) lines << tr("the clock had not settled: not counted");
  QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
  return true;
}

void SamplePlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), to_qcolor(figure::surface(theme_of(palette())).background));
  if (figure()) {
    painter.setRenderHint(QPainter::Antialiasing);
    Drawing(painter, *figure(), *ceiling_, theme_of(palette())).draw();
    return;
  }
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                   ceiling_ ? tr("No samples: this figure was not measured here.")
                            : tr("Choose a ceiling to see its samples."));
}

void SamplePlotView::resizeEvent(QResizeEvent*) { laid_out_ = false; }

void SamplePlotView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) laid_out_ = false;
  QWidget::changeEvent(event);
}

}  // namespace mansard::gui
