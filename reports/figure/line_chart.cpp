// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/line_chart.h"

#include <algorithm>
#include <cmath>

#include "reports/figure/axis_styles.h"
#include "reports/figure/chart_drawing.h"
#include "reports/figure/chart_frame.h"
#include "reports/figure/chart_text.h"

namespace mansard::figure {
namespace {

constexpr double kLineChartMargin_px = 12;
constexpr double kLineChartNameGap_px = 7;    // from a tick's name to the plot
constexpr double kLineChartAxisLine_px = 20;  // a line of text above or below the plot
constexpr double kLineChartLegendGap_px = 4;
constexpr double kPlotHeight_px = 240;
constexpr double kLineChartNarrow_px = 560;  // narrower figures are lower
constexpr double kNarrowHeight_px = 180;
constexpr double kXTicks_px = 70;
constexpr double kYTicks_px = 40;
constexpr double kPadding = 0.05;     // of the range, above and below
constexpr double kZeroReach = 0.1;    // an axis whose lowest value is below this share starts at 0
constexpr double kStrip_px = 4;       // least width
constexpr std::size_t kMaxDots = 30;  // per line

struct Range {
  double low = INFINITY;
  double high = -INFINITY;
  void include(double value) {
    if (!(value > -1e300 && value < 1e300)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Range values_of(const ChartData& data) {
  Range range;
  for (const ChartBar& bar : data.bars) {
    for (const ChartValue& value : bar.values) {
      range.include(value.value);
      range.include(value.low);
      range.include(value.high);
    }
  }
  return range;
}

// Covers the range, with room above and below.
LinearScale value_scale(Range range, double bottom, double top) {
  if (!(range.low <= range.high)) range = {0, 1};
  if (range.low > 0 && range.low < kZeroReach * range.high) range.low = 0;
  const double padding = range.high > range.low ? kPadding * (range.high - range.low)
                                                : std::max(std::fabs(range.high) * 0.01, 1e-12);
  const double low = range.low == 0 ? 0 : range.low - padding;
  return LinearScale(low, range.high + padding, bottom, top);
}

LinearTicks axis_ticks(const LinearScale& scale, double gap_px, const analysis::Column& column) {
  const bool si = column.format == analysis::CellFormat::quantity;
  return linear_ticks_apart(scale, gap_px, si ? TickLabels::si : TickLabels::number);
}

double factor_of(const analysis::Column& column) {
  return column.format == analysis::CellFormat::fraction ? 100 : 1;
}

// The ticks of the value axis, in percent for fractions.
LinearTicks value_ticks(const LinearScale& scale, const analysis::Column& column) {
  const double factor = factor_of(column);
  LinearTicks ticks = axis_ticks(
      LinearScale(factor * scale.min(), factor * scale.max(), scale.pixel_min(), scale.pixel_max()),
      kYTicks_px, column);
  for (Tick& tick : ticks.ticks) tick.value /= factor;
  return ticks;
}

// Counts, such as steps, are written in full.
LinearTicks position_ticks(const LinearScale& scale, const analysis::Column& column) {
  constexpr double kLargest = 1e7;
  const double per_px = (scale.max() - scale.min()) / (scale.pixel_max() - scale.pixel_min());
  const double step = even_step(per_px * kXTicks_px);
  if (column.format != analysis::CellFormat::count || scale.max() > kLargest) {
    return linear_ticks(scale, step, TickLabels::number);
  }
  LinearTicks ticks = linear_ticks(scale, std::max(1.0, step), TickLabels::number);
  ticks.prefix.clear();
  for (Tick& tick : ticks.ticks) tick.label = analysis::format_count(tick.value);
  return ticks;
}

// A value in pixels: a low value has a large y.
struct Placed {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};

std::vector<Point> thinned(const std::vector<Placed>& values) {
  std::vector<Point> points;
  for (std::size_t first = 0; first < values.size();) {
    std::size_t end = first;
    std::size_t top = first;
    std::size_t bottom = first;
    while (end < values.size() && std::floor(values[end].x) == std::floor(values[first].x)) {
      if (values[end].y < values[top].y) top = end;
      if (values[end].y > values[bottom].y) bottom = end;
      ++end;
    }
    std::vector<std::size_t> kept = {first, std::min(top, bottom), std::max(top, bottom), end - 1};
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t i : kept) points.push_back({values[i].x, values[i].y});
    first = end;
  }
  return points;
}

std::vector<Point> outline_of(const std::vector<Placed>& values) {
  if (std::ranges::none_of(values, [](const Placed& p) { return p.low > p.high; })) return {};
  std::vector<Point> outline;
  for (const Placed& p : values) outline.push_back({p.x, p.high});
  for (std::size_t i = values.size(); i-- > 0;) outline.push_back({values[i].x, values[i].low});
  return outline;
}

ChartLine line_of(const ChartData& data, std::size_t series, const LinearScale& x,
                  const LinearScale& y) {
  std::vector<Placed> values;
  for (const ChartBar& bar : data.bars) {
    const ChartValue& value = bar.values[series];
    if (!value.drawable()) continue;
    const double at = y.map(value.value);
    const bool band = value.low <= value.high;
    values.push_back(
        {x.map(bar.x), at, band ? y.map(value.low) : at, band ? y.map(value.high) : at});
  }
  ChartLine line{series, thinned(values), outline_of(values), {}};
  if (values.size() <= kMaxDots) {
    for (const Placed& p : values) line.dots.push_back({p.x, p.y});
  }
  return line;
}

std::vector<ChartStrip> strips_of(const ChartData& data, const LinearScale& x, const Rect& plot) {
  std::vector<ChartStrip> strips;
  for (std::size_t i = 0; i < data.bars.size(); ++i) {
    const double at = x.map(data.bars[i].x);
    if (!strips.empty() && at - strips.back().x < kStrip_px) continue;
    strips.push_back({i, plot, at});
  }
  for (std::size_t i = 0; i + 1 < strips.size(); ++i) {
    const double middle = (strips[i].x + strips[i + 1].x) / 2;
    strips[i].area.right = middle;
    strips[i + 1].area.left = middle;
  }
  return strips;
}

// Lines of one color differ by pattern and by the shape of their dots.
struct Look {
  Ink ink;
  LinePattern pattern;
  MarkShape shape;
};

Look look_of(std::size_t series) {
  // Four distinct colors; the lines are named, so colors only distinguish them.
  constexpr MemoryLevel kColors[] = {MemoryLevel::hbm, MemoryLevel::nvlink,
                                     MemoryLevel::tensor_memory, MemoryLevel::l2};
  constexpr LinePattern kPatterns[] = {LinePattern::solid, LinePattern::dashed,
                                       LinePattern::dotted};
  constexpr MarkShape kShapes[] = {MarkShape::circle,        MarkShape::square,
                                   MarkShape::diamond,       MarkShape::triangle_up,
                                   MarkShape::triangle_down, MarkShape::hexagon};
  return {tier_ink(kColors[series % std::size(kColors)]),
          kPatterns[series / std::size(kColors) % std::size(kPatterns)],
          kShapes[series % std::size(kShapes)]};
}

}  // namespace

LineChart layout_line_chart(const ChartData& data, double width_px, const MeasureText& measure) {
  LineChart out;
  out.width = width_px;
  std::vector<std::string> names;
  for (const ChartSeries& series : data.series) names.push_back(series.label);
  if (names.size() < 2) names.clear();  // the axis names the only line
  out.legend = place_legend(names, kLineChartMargin_px, width_px - kLineChartMargin_px, 4, measure);
  const double top =
      out.legend.bottom + (names.empty() ? 0 : kLineChartLegendGap_px) + kLineChartAxisLine_px;
  const double bottom = top + (width_px < kLineChartNarrow_px ? kNarrowHeight_px : kPlotHeight_px);
  out.height = bottom + 2 * kLineChartAxisLine_px;

  const LinearScale y = value_scale(values_of(data), bottom, top);
  LinearTicks y_ticks = value_ticks(y, data.column);
  double widest = 0;
  for (const Tick& tick : y_ticks.ticks) {
    widest = std::max(widest, measure(tick.label).width);
  }
  const double left = kLineChartMargin_px + widest + kLineChartNameGap_px;
  const double right = std::max(left + 40, width_px - 2 * kLineChartMargin_px);
  out.plot = {left, top, right, bottom};
  const double first = data.bars.front().x;
  const double last = data.bars.back().x;
  const LinearScale x(first, first < last ? last : first + 1, left, right);

  for (const Tick& tick : y_ticks.ticks) {
    out.y_names.push_back(
        place_text(tick.label, TextAnchor::end, left - kLineChartNameGap_px, tick.pixel, measure));
  }
  out.y_axis = place_text(fit_text(axis_name(data.column, y_ticks.prefix), right - left, measure),
                          TextAnchor::start, left, top - kLineChartAxisLine_px / 2, measure);
  out.y_ticks = std::move(y_ticks.ticks);
  LinearTicks x_ticks = position_ticks(x, data.x_column);
  for (const Tick& tick : x_ticks.ticks) {
    out.x_names.push_back(
        place_text(tick.label, TextAnchor::middle, tick.pixel, bottom + 11, measure));
  }
  out.x_axis = place_text(axis_name(data.x_column, x_ticks.prefix), TextAnchor::middle,
                          (left + right) / 2, bottom + 29, measure);
  out.x_ticks = std::move(x_ticks.ticks);
  for (std::size_t i = 0; i < data.series.size(); ++i) {
    out.lines.push_back(line_of(data, i, x, y));
  }
  out.strips = strips_of(data, x, out.plot);
  return out;
}

Drawing draw(const LineChart& chart, const ChartData& data, std::optional<std::size_t> marked) {
  constexpr float kSeriesLine_px = 1.5F;
  constexpr double kDot_px = 3;
  constexpr float kBandOpacity = 0.12F;
  Drawing out(chart.width, chart.height);
  const StyleId text = out.style(filled(surface_ink(&Surface::text)));
  const StyleId faint = out.style(filled(surface_ink(&Surface::faint_text)));
  const auto [grid, axis] = axis_styles(out);
  const Rect& plot = chart.plot;
  for (const Tick& tick : chart.y_ticks) {
    out.line({plot.left, tick.pixel}, {plot.right, tick.pixel}, tick.value == 0 ? axis : grid);
  }
  out.line({plot.left, plot.bottom}, {plot.right, plot.bottom}, axis);
  for (const Tick& tick : chart.x_ticks) {
    out.line({tick.pixel, plot.bottom}, {tick.pixel, plot.bottom + 4}, axis);
  }
  for (const PlacedText& name : chart.y_names) out.text(name, faint);
  for (const PlacedText& name : chart.x_names) out.text(name, faint);
  out.text(chart.x_axis, faint);
  out.text(chart.y_axis, faint);
  for (const ChartStrip& strip : chart.strips) {
    if (marked == strip.bar) out.line({strip.x, plot.top}, {strip.x, plot.bottom}, axis);
  }
  for (const ChartLine& drawn : chart.lines) {
    Style band = filled(look_of(drawn.series).ink);
    band.fill_opacity = kBandOpacity;
    if (!drawn.band.empty()) out.polygon(drawn.band, out.style(band));
  }
  for (const ChartLine& drawn : chart.lines) {
    const Look look = look_of(drawn.series);
    Style stroke = stroked(look.ink, kSeriesLine_px);
    stroke.pattern = look.pattern;
    const StyleId style = out.style(stroke);
    Style dot = filled(look.ink);
    dot.stroke = surface_ink(&Surface::background);
    const StyleId dots = out.style(dot);
    if (drawn.points.size() > 1) out.polyline(drawn.points, style);
    for (const Point& at : drawn.dots) out.mark(look.shape, at, kDot_px, dots);
    for (const LegendEntry& entry : chart.legend.entries) {
      if (entry.item != drawn.series) continue;
      const double y = (entry.swatch.top + entry.swatch.bottom) / 2;
      out.line({entry.swatch.left, y}, {entry.swatch.right, y}, style);
      if (!drawn.dots.empty()) {
        out.mark(look.shape, {(entry.swatch.left + entry.swatch.right) / 2, y}, kDot_px, dots);
      }
      out.text(entry.name, text);
    }
  }
  for (const ChartStrip& strip : chart.strips) {
    out.set_title(bar_link(strip.bar), bar_tooltip(data, data.bars[strip.bar]));
    out.rect(strip.area, out.style({}), bar_link(strip.bar));
  }
  return out;
}

}  // namespace mansard::figure
