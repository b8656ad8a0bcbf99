// SPDX-License-Identifier: Apache-2.0
#include "reports/web/chart_svg.h"

#include "reports/figure/part_fill.h"
#include "reports/figure/shown_chart.h"
#include "reports/figure/waterfall.h"
#include "reports/web/chart_text.h"
#include "reports/web/html.h"
#include "reports/web/page_theme.h"
#include "reports/web/svg.h"

namespace mansard::reports {
namespace {

constexpr double kWide_px = 960;
constexpr double kNarrow_px = 360;
constexpr double kOutlined_px = 4;  // narrower parts have no edges, which would hide them

// A bar of its own, with an edge: it lies on bars as well as on the background.
void draw_reference(Svg& svg, const figure::Segment& mark) {
  svg.rect({mark.a.x - 1.5, mark.a.y, mark.a.x + 1.5, mark.b.y}, "reference");
}

void draw_frame(Svg& svg, const figure::ChartFrame& frame) {
  const figure::Rect& plot = frame.plot;
  for (std::size_t i = 0; i < frame.ticks.size(); ++i) {
    const figure::Tick& tick = frame.ticks[i];
    svg.line({tick.pixel, plot.top}, {tick.pixel, plot.bottom},
             tick.value == 0 ? "grid zero" : "grid");
    svg.text(frame.tick_names[i], "tick");
  }
  svg.text(frame.axis_name, "axis");
}

void open_row(Svg& svg, const figure::ChartData& data, const figure::ChartFrame& frame,
              std::size_t row) {
  svg.open_group(bar_tooltip(data, data.bars[row]));
  svg.rect(figure::row_area(frame, row), "row-area");
  svg.text(frame.rows[row].name, "bar-name");
}

std::string_view role_class(figure::WaterfallRole role) {
  switch (role) {
    case figure::WaterfallRole::total:
      return "total";
    case figure::WaterfallRole::loss:
      return "loss";
    case figure::WaterfallRole::gain:
      return "gain";
  }
  return "";
}

void draw_waterfall(Svg& svg, const figure::Waterfall& figure, const figure::ChartData& data) {
  draw_frame(svg, figure.frame);
  for (const figure::LegendEntry& entry : figure.frame.legend.entries) {
    svg.rect(entry.swatch, role_class(figure.legend[entry.item]));
    svg.text(entry.name);
  }
  svg.lines(figure.connectors, "connector");
  for (const figure::WaterfallBar& bar : figure.bars) {
    open_row(svg, data, figure.frame, bar.row);
    if (bar.drawn) svg.rect(figure::visible_bar(bar.rect), role_class(bar.role));
    svg.text(bar.value, "value");
    svg.close_group();
  }
}

void draw_fill(Svg& svg, const figure::Rect& area, const figure::ChartSeries& series,
               std::size_t number, std::string_view tooltip) {
  const figure::Fill light = figure::part_fill(series, number, figure::Theme::light);
  const figure::Fill dark = figure::part_fill(series, number, figure::Theme::dark);
  const std::string style = colour_style({light.colour, dark.colour});
  const bool outlined = area.width() >= kOutlined_px;
  // An outline lies half outside its rectangle, which would cover the neighbours.
  figure::Rect inner = figure::visible_bar(area);
  if (outlined && light.hollow) {
    inner = {area.left + 0.75, area.top + 0.75, area.right - 0.75, area.bottom - 0.75};
  }
  const bool hollow = outlined && light.hollow;
  svg.rect(inner, hollow ? "part hollow" : outlined ? "part edged" : "part", style, tooltip);
  const std::string dots = light.texture == figure::Texture::dotted ? " dots" : "";
  svg.lines(figure::texture_lines(light.texture, inner),
            (hollow ? "texture hollow" : "texture") + dots, style);
}

void draw_parts(Svg& svg, const figure::BarChart& figure, const figure::ChartData& data) {
  draw_frame(svg, figure.frame);
  for (const figure::LegendEntry& entry : figure.frame.legend.entries) {
    draw_fill(svg, entry.swatch, data.series[entry.item], entry.item, {});
    svg.text(entry.name);
  }
  auto part = figure.parts.begin();
  for (std::size_t row = 0; row < figure.frame.rows.size(); ++row) {
    open_row(svg, data, figure.frame, row);
    for (; part != figure.parts.end() && part->row == row; ++part) {
      draw_fill(svg, part->rect, data.series[part->series], part->series,
                part_tooltip(data, data.bars[row], part->series));
    }
    svg.text(figure.values[row], "value");
    svg.close_group();
  }
}

void draw_bars(Svg& svg, const figure::BarChart& figure, const figure::ChartData& data) {
  draw_frame(svg, figure.frame);
  for (const figure::LegendEntry& entry : figure.frame.legend.entries) {
    const figure::Rect& swatch = entry.swatch;
    const double x = (swatch.left + swatch.right) / 2;
    if (entry.item == 0) {
      svg.rect(swatch, "bar-of-one");
    } else {
      draw_reference(svg, {{x, swatch.top - 2}, {x, swatch.bottom + 2}});
    }
    svg.text(entry.name);
  }
  auto part = figure.parts.begin();
  auto reference = figure.references.begin();
  for (std::size_t row = 0; row < figure.frame.rows.size(); ++row) {
    open_row(svg, data, figure.frame, row);
    for (; part != figure.parts.end() && part->row == row; ++part) {
      svg.rect(figure::visible_bar(part->rect), "bar-of-one");
    }
    for (; reference != figure.references.end() && reference->row == row; ++reference) {
      draw_reference(svg, reference->mark);
    }
    svg.text(figure.values[row], "value");
    svg.close_group();
  }
}

}  // namespace

std::string chart_svg(const figure::ChartData& data, double width_px, std::string_view css_class,
                      std::string_view escaped_description) {
  const std::string classes = "chart " + std::string(css_class);
  if (data.kind == analysis::ChartKind::waterfall) {
    const figure::Waterfall figure =
        figure::layout_waterfall(data, width_px, reports::svg_text_size);
    Svg svg(width_px, figure.frame.height, classes, escaped_description);
    draw_waterfall(svg, figure, data);
    return std::move(svg).finish();
  }
  const figure::BarChart figure = figure::layout_bar_chart(data, width_px, reports::svg_text_size);
  Svg svg(width_px, figure.frame.height, classes, escaped_description);
  if (data.kind == analysis::ChartKind::stacked_bars) {
    draw_parts(svg, figure, data);
  } else {
    draw_bars(svg, figure, data);
  }
  return std::move(svg).finish();
}

std::string html_chart(const analysis::Table& table) {
  const auto data = figure::chart_to_show(table);
  if (!data) return {};
  const std::string description = escape_html(describe_chart(*data));
  std::string html = "<figure class=\"chart\"><div class=\"plot\">\n" +
                     chart_svg(*data, kWide_px, "wide", description) +
                     chart_svg(*data, kNarrow_px, "narrow", description) + "</div>";
  const std::string caption = figure::chart_caption(table, *data);
  if (!caption.empty()) html += "<figcaption>" + escape_html(caption) + "</figcaption>";
  return html + "</figure>\n";
}

}  // namespace mansard::reports
