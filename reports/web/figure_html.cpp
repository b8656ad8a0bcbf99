// SPDX-License-Identifier: Apache-2.0
#include "reports/web/figure_html.h"

#include "reports/figure/chart_drawing.h"
#include "reports/figure/chart_text.h"
#include "reports/figure/shown_chart.h"
#include "reports/figure/svg_writer.h"
#include "support/text.h"

namespace mansard::reports {

std::string html_svg(const PageFigure& figure) {
  const auto svg = [&](const figure::Drawing& drawing, const char* width) {
    const std::string& kind = figure.css_class;
    return figure::to_svg(drawing, {.css_class = kind.empty() ? width : kind + ' ' + width,
                                    .description = figure.description});
  };
  return svg(figure.wide, "wide") + svg(figure.narrow, "narrow");
}

std::optional<PageFigure> chart_figure(const analysis::Table& table) {
  const auto data = figure::chart_to_show(table);
  if (!data) return std::nullopt;
  return PageFigure{figure::draw_chart(*data, kWideFigure_px, figure::page_text_size),
                    figure::draw_chart(*data, kNarrowFigure_px, figure::page_text_size), "chart",
                    figure::describe_chart(*data), figure::chart_caption(table, *data)};
}

std::string html_chart(const analysis::Table& table, std::vector<PageFigure>* figures) {
  std::optional<PageFigure> chart = chart_figure(table);
  if (!chart) return {};
  std::string html = "<figure class=\"chart\"><div class=\"plot\">\n" + html_svg(*chart) + "</div>";
  if (!chart->caption.empty()) {
    html += "<figcaption>" + escape_html(chart->caption) + "</figcaption>";
  }
  if (figures != nullptr) figures->push_back(*std::move(chart));
  return html + "</figure>\n";
}

}  // namespace mansard::reports
