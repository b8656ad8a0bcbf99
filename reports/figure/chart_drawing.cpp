// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/chart_drawing.h"

#include "reports/figure/axis_styles.h"
#include "reports/figure/bar_chart.h"
#include "reports/figure/chart_text.h"
#include "reports/figure/line_chart.h"
#include "reports/figure/part_fill.h"
#include "reports/figure/waterfall.h"

namespace mansard::figure {
namespace {

constexpr double kOutlined_px = 4;      // narrower parts have no outline, which would hide them
constexpr double kLeastWidth_px = 1.5;  // minimum width of visible bars
constexpr double kReference_px = 3;

// The whole row is the hover target, since bars may be short.
Rect row_area(const ChartFrame& frame, std::size_t row) {
  const FrameRow& r = frame.rows[row];
  return {0, std::min(r.name.box.top, r.top), frame.width, r.bottom};
}

Rect visible_bar(Rect bar) {
  const double missing = kLeastWidth_px - bar.width();
  if (missing > 0) {
    bar.left -= missing / 2;
    bar.right += missing / 2;
  }
  return bar;
}

class ChartDrawer {
 public:
  ChartDrawer(const ChartData& data, const ChartFrame& frame, std::optional<std::size_t> marked)
      : data_(data), frame_(frame), out_(frame.width, frame.height) {
    if (marked && *marked < frame.rows.size()) {
      const Rect area = row_area(frame, *marked);
      Style tint = filled(surface_ink(&Surface::accent));
      tint.fill_opacity = 0.14F;
      out_.rect({area.left, area.top - 3, area.right, area.bottom + 3}, out_.style(tint));
    }
    draw_axis();
  }

  Drawing draw(const Waterfall& chart) && {
    for (const LegendEntry& entry : frame_.legend.entries) {
      out_.rect(entry.swatch, out_.style(filled(role_ink(chart.legend[entry.item]))));
    }
    out_.segments(chart.connectors, out_.style(stroked(surface_ink(&Surface::axis))));
    std::vector<PlacedText> values;
    for (const WaterfallBar& bar : chart.bars) {
      values.push_back(bar.value);
      if (!bar.drawn) continue;
      out_.rect(visible_bar(bar.rect), out_.style(filled(role_ink(bar.role))), bar_link(bar.row));
    }
    write_texts(values);
    add_row_areas();
    return std::move(out_);
  }

  Drawing draw(const BarChart& chart) && {
    const bool stacked = data_.kind == analysis::ChartKind::stacked_bars;
    const StyleId plain = out_.style(filled(surface_ink(&Surface::compute)));
    for (const LegendEntry& entry : frame_.legend.entries) {
      const Rect& swatch = entry.swatch;
      const double x = (swatch.left + swatch.right) / 2;
      if (stacked) {
        fill(swatch, entry.item, {});
      } else if (entry.item == 0) {
        out_.rect(swatch, plain);
      } else {
        reference({{x, swatch.top - 2}, {x, swatch.bottom + 2}}, {});
      }
    }
    if (stacked) add_row_areas();  // parts have tooltips of their own
    for (const BarPart& part : chart.parts) {
      if (stacked) {
        draw_part(part);
      } else {
        out_.rect(visible_bar(part.rect), plain, bar_link(part.row));
      }
    }
    for (const BarReference& r : chart.references) reference(r.mark, bar_link(r.row));
    write_texts(chart.values);
    if (!stacked) add_row_areas();
    return std::move(out_);
  }

 private:
  void draw_axis() {
    const auto [grid, zero] = axis_styles(out_);
    for (const Tick& tick : frame_.ticks) {
      out_.line({tick.pixel, frame_.plot.top}, {tick.pixel, frame_.plot.bottom},
                tick.value == 0 ? zero : grid);
    }
    for (const PlacedText& name : frame_.tick_names) out_.text(name, faint_);
    out_.text(frame_.axis_name, faint_);
  }

  void add_row_areas() {
    for (std::size_t row = 0; row < frame_.rows.size(); ++row) {
      out_.set_title(bar_link(row), bar_tooltip(data_, data_.bars[row]));
      out_.rect(row_area(frame_, row), out_.style({}), bar_link(row));
    }
  }

  void write_texts(const std::vector<PlacedText>& values) {
    for (const LegendEntry& entry : frame_.legend.entries) out_.text(entry.name, text_);
    // Names and values may overlap grid lines, so they have a halo.
    Style haloed = filled(surface_ink(&Surface::text));
    haloed.halo = true;
    const StyleId style = out_.style(haloed);
    for (const FrameRow& row : frame_.rows) out_.text(row.name, style);
    for (const PlacedText& value : values) out_.text(value, style);
  }

  void draw_part(const BarPart& part) {
    const Link link{Link::To::bar_part, static_cast<std::uint32_t>(part.row),
                    static_cast<std::uint32_t>(part.series)};
    out_.set_title(link, part_tooltip(data_, data_.bars[part.row], part.series));
    fill(part.rect, part.series, link);
  }

  void fill(const Rect& area, std::size_t series, Link link) {
    const Fill look = part_fill(data_.series[series], series);
    const Ink background = surface_ink(&Surface::background);
    const bool outlined = area.width() >= kOutlined_px;
    const bool hollow = outlined && look.hollow;
    // Half of an outline is outside its rectangle, where it would cover the neighbors.
    Rect inner = visible_bar(area);
    if (hollow) inner = {area.left + 0.75, area.top + 0.75, area.right - 0.75, area.bottom - 0.75};
    Style body = filled(hollow ? background : look.color);
    if (hollow) {
      body.stroke = look.color;
      body.stroke_px = 1.5;
    } else if (outlined) {
      body.stroke = background;
    }
    out_.rect(inner, out_.style(body), link);
    const bool dots = look.texture == Texture::dotted;
    Style lines = stroked(hollow ? look.color : background, dots ? 2.4F : hollow ? 1 : 1.5F);
    lines.round = true;
    out_.segments(texture_lines(look.texture, inner), out_.style(lines), link);
  }

  // A thin bar with an outline, visible on bars and on the background.
  void reference(const Segment& mark, Link link) {
    Style style = filled(surface_ink(&Surface::loss));
    style.stroke = surface_ink(&Surface::background);
    out_.rect({mark.a.x - kReference_px / 2, mark.a.y, mark.a.x + kReference_px / 2, mark.b.y},
              out_.style(style), link);
  }

  const ChartData& data_;
  const ChartFrame& frame_;
  Drawing out_;
  StyleId text_ = out_.style(filled(surface_ink(&Surface::text)));
  StyleId faint_ = out_.style(filled(surface_ink(&Surface::faint_text)));
};

}  // namespace

Drawing draw_chart(const ChartData& data, double width_px, const MeasureText& measure,
                   std::optional<std::size_t> marked) {
  if (data.kind == analysis::ChartKind::waterfall) {
    const Waterfall chart = layout_waterfall(data, width_px, measure);
    return ChartDrawer(data, chart.frame, marked).draw(chart);
  }
  if (data.kind == analysis::ChartKind::lines) {
    return draw(layout_line_chart(data, width_px, measure), data, marked);
  }
  const BarChart chart = layout_bar_chart(data, width_px, measure);
  return ChartDrawer(data, chart.frame, marked).draw(chart);
}

}  // namespace mansard::figure
