// SPDX-License-Identifier: Apache-2.0
#include "gui/views/chart_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "reports/figure/part_fill.h"
#include "reports/figure/shown_chart.h"

namespace mansard::gui {
namespace {

constexpr double kOutlined_px = 4;  // narrower parts have no edges, which would hide them
constexpr double kReference_px = 3;

// Half pixels make lines of one pixel sharp.
double crisp(double pixel) { return std::floor(pixel) + 0.5; }

class Drawing {
 public:
  Drawing(QPainter& painter, const ChartFigure& figure, figure::Theme theme,
          std::optional<std::size_t> marked)
      : painter_(painter),
        data_(figure.data),
        frame_(figure.frame()),
        theme_(theme),
        colours_(surface(theme)),
        marked_(marked) {}

  void operator()(const figure::Waterfall& figure) {
    ground();
    for (const figure::LegendEntry& entry : frame_.legend.entries) {
      painter_.fillRect(to_qrect(entry.swatch),
                        to_qcolor(figure::role_colour(figure.legend[entry.item], theme_)));
      text(entry.name, colours_.text);
    }
    painter_.setPen(QPen(to_qcolor(colours_.axis), 1));
    for (const figure::Segment& s : figure.connectors) {
      painter_.drawLine(QPointF(crisp(s.a.x), s.a.y), QPointF(crisp(s.b.x), s.b.y));
    }
    for (const figure::WaterfallBar& bar : figure.bars) {
      if (bar.drawn) solid(bar.rect, figure::role_colour(bar.role, theme_));
      names(bar.row, bar.value);
    }
  }

  void operator()(const figure::BarChart& figure) {
    ground();
    const bool stacked = data_.kind == analysis::ChartKind::stacked_bars;
    for (const figure::LegendEntry& entry : frame_.legend.entries) {
      if (stacked) {
        fill(entry.swatch, entry.item);
      } else if (entry.item == 0) {
        painter_.fillRect(to_qrect(entry.swatch), to_qcolor(colours_.compute));
      } else {
        const double x = (entry.swatch.left + entry.swatch.right) / 2;
        reference({{x, entry.swatch.top - 2}, {x, entry.swatch.bottom + 2}});
      }
      text(entry.name, colours_.text);
    }
    for (const figure::BarPart& part : figure.parts) {
      if (stacked) {
        fill(part.rect, part.series);
      } else {
        solid(part.rect, colours_.compute);
      }
    }
    for (const figure::BarReference& r : figure.references) reference(r.mark);
    for (std::size_t row = 0; row < frame_.rows.size(); ++row) names(row, figure.values[row]);
  }

 private:
  void ground() {
    if (marked_ && *marked_ < frame_.rows.size()) {
      const figure::Rect area = figure::row_area(frame_, *marked_);
      QColor tint = to_qcolor(colours_.accent);
      tint.setAlphaF(0.14F);
      painter_.fillRect(to_qrect(area).adjusted(0, -3, 0, 3), tint);
    }
    const figure::Rect& plot = frame_.plot;
    for (std::size_t i = 0; i < frame_.ticks.size(); ++i) {
      const figure::Tick& tick = frame_.ticks[i];
      painter_.setPen(QPen(to_qcolor(tick.value == 0 ? colours_.axis : colours_.grid), 1));
      const double x = crisp(tick.pixel);
      painter_.drawLine(QPointF(x, plot.top), QPointF(x, plot.bottom));
      text(frame_.tick_names[i], colours_.text);
    }
    text(frame_.axis_name, colours_.faint_text);
  }

  void text(const figure::PlacedText& placed, figure::Rgb colour) {
    painter_.setPen(to_qcolor(colour));
    painter_.drawText(to_qrect(placed.box), Qt::AlignCenter | Qt::TextDontClip,
                      to_qstring(placed.text));
  }

  // Names and values may lie on grid lines, which a halo keeps off.
  void names(std::size_t row, const figure::PlacedText& value) {
    for (const figure::PlacedText* placed : {&frame_.rows[row].name, &value}) {
      const figure::Rect& box = placed->box;
      const figure::OrientedBox at{
          {(box.left + box.right) / 2, (box.top + box.bottom) / 2}, box.width(), box.height(), 0};
      draw_label(painter_, at, to_qstring(placed->text), to_qcolor(colours_.text),
                 to_qcolor(colours_.background));
    }
  }

  void solid(const figure::Rect& bar, figure::Rgb colour) {
    painter_.fillRect(to_qrect(figure::visible_bar(bar)), to_qcolor(colour));
  }

  void fill(const figure::Rect& area, std::size_t series) {
    const figure::Fill look = figure::part_fill(data_.series[series], series, theme_);
    const bool outlined = area.width() >= kOutlined_px;
    const bool hollow = outlined && look.hollow;
    // An outline lies half outside its rectangle, which would cover the neighbours.
    figure::Rect inner = figure::visible_bar(area);
    if (hollow) inner = {area.left + 0.75, area.top + 0.75, area.right - 0.75, area.bottom - 0.75};
    const QColor colour = to_qcolor(look.colour);
    const QColor background = to_qcolor(colours_.background);
    painter_.setPen(!outlined ? QPen(Qt::NoPen) : hollow ? QPen(colour, 1.5) : QPen(background, 1));
    painter_.setBrush(hollow ? background : colour);
    painter_.drawRect(to_qrect(inner));
    const bool dots = look.texture == figure::Texture::dotted;
    painter_.setPen(QPen(hollow ? colour : background,
                         dots     ? 2.4
                         : hollow ? 1
                                  : 1.5,
                         Qt::SolidLine, Qt::RoundCap));
    for (const figure::Segment& s : figure::texture_lines(look.texture, inner)) {
      if (dots) {
        painter_.drawPoint(to_qpoint(s.a));
      } else {
        painter_.drawLine(to_qpoint(s.a), to_qpoint(s.b));
      }
    }
  }

  // A bar of its own, with an edge: it lies on bars as well as on the background.
  void reference(const figure::Segment& mark) {
    painter_.setPen(QPen(to_qcolor(colours_.background), 1));
    painter_.setBrush(to_qcolor(colours_.loss));
    painter_.drawRect(
        QRectF(mark.a.x - kReference_px / 2, mark.a.y, kReference_px, mark.b.y - mark.a.y));
  }

  QPainter& painter_;
  const figure::ChartData& data_;
  const figure::ChartFrame& frame_;
  figure::Theme theme_;
  const figure::Surface& colours_;
  std::optional<std::size_t> marked_;
};

}  // namespace

const figure::ChartFrame& ChartFigure::frame() const {
  return std::visit([](const auto& figure) -> const figure::ChartFrame& { return figure.frame; },
                    layout);
}

figure::MeasureText measure_in(const QFont& font) {
  return [metrics = QFontMetricsF(font)](std::string_view text) {
    return figure::TextSize{metrics.horizontalAdvance(to_qstring(text)), metrics.height()};
  };
}

ChartFigure layout_chart(figure::ChartData data, double width_px, const QFont& font) {
  const figure::MeasureText measure = measure_in(font);
  if (data.kind == analysis::ChartKind::waterfall) {
    figure::Waterfall figure = figure::layout_waterfall(data, width_px, measure);
    return {std::move(data), std::move(figure)};
  }
  figure::BarChart figure = figure::layout_bar_chart(data, width_px, measure);
  return {std::move(data), std::move(figure)};
}

void paint_chart(QPainter& painter, const ChartFigure& figure, figure::Theme theme,
                 std::optional<std::size_t> marked) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  std::visit(Drawing(painter, figure, theme, marked), figure.layout);
  painter.restore();
}

}  // namespace mansard::gui
