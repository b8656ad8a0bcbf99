// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/sweep_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/figure/linear_scale.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kLeft_px = 52;
constexpr double kRight_px = 24;
constexpr double kTop_px = 28;     // below the legend
constexpr double kBottom_px = 50;  // tick names and the axis' name
constexpr double kSweepLegendRow_px = 20;
constexpr double kSwatch_px = 22;
constexpr double kSizeTick_px = 5;
constexpr double kSizeGap_px = 62;
constexpr int kKernelName = 40;  // characters

// Curves by kernel, sorted by size, without points that a logarithmic axis cannot show.
std::map<std::string, std::vector<roofline::SweepPoint>> curves_of(
    const roofline::DeviceModel& device, std::string_view unit, roofline::SweepAxis axis) {
  std::map<std::string, std::vector<roofline::SweepPoint>> curves;
  for (const roofline::SweepPoint& p : device.sweep) {
    if (p.unit == unit && p.axis() == axis && p.bytes > 0 && std::isfinite(p.bytes) &&
        p.value > 0 && std::isfinite(p.value)) {
      curves[p.kernel].push_back(p);
    }
  }
  for (auto& [kernel, curve] : curves) {
    std::ranges::stable_sort(curve, {}, &roofline::SweepPoint::bytes);
  }
  return curves;
}

struct Extent {
  double low = INFINITY;
  double high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Working sets and the ticks of their axis are powers of two. The value axis starts at zero, which
// preserves ratios, unless the range is so large that low curves would coincide with the axis.
struct Axes {
  static constexpr double kLinearUpTo = 15;  // highest over lowest value

  Rect plot;
  double log_low, log_high;  // base 2 of bytes
  bool logarithmic;          // the values' axis
  double bottom, top;        // values
  double step;               // of a linear axis of values

  Axes(const Rect& area, const Extent& bytes, const Extent& values)
      : plot(area),
        log_low(std::log2(bytes.low) - 0.3),
        log_high(std::log2(bytes.high) + 0.3),
        logarithmic(values.high > kLinearUpTo * values.low),
        bottom(logarithmic ? values.low / 1.5 : 0),
        top(0),
        step(even_step(values.high / 4)) {
    top = logarithmic ? values.high * 2 : step * std::ceil(values.high * 1.02 / step);
  }

  double x(double bytes) const {
    return plot.left + (std::log2(bytes) - log_low) / (log_high - log_low) * plot.width();
  }
  double y(double value) const {
    const double part =
        logarithmic ? std::log(value / bottom) / std::log(top / bottom) : value / top;
    return plot.bottom - part * plot.height();
  }
  std::vector<Tick> value_ticks() const {
    if (logarithmic) {
      return ticks(LogScale(bottom, top, plot.bottom, plot.top), TickLabels::si, 24);
    }
    LinearTicks even =
        linear_ticks(LinearScale(bottom, top, plot.bottom, plot.top), step, TickLabels::si);
    for (Tick& tick : even.ticks) {
      if (tick.value != 0 && !even.prefix.empty()) tick.label += ' ' + even.prefix;
    }
    return std::move(even.ticks);
  }
};

void add_axes(SweepPlot& out, const Axes& axes, std::string_view unit, const char* size_name,
              const MeasureText& measure) {
  const Rect& plot = axes.plot;
  for (const Tick& tick : axes.value_ticks()) {
    if (tick.label.empty()) continue;
    out.value_lines.push_back({{plot.left, tick.pixel}, {plot.right, tick.pixel}});
    out.value_names.push_back(
        place_text(tick.label, TextAnchor::end, plot.left - 8, tick.pixel, measure));
  }
  const double span = axes.log_high - axes.log_low;
  const int first = static_cast<int>(std::ceil(axes.log_low));
  const int every = std::max(1, static_cast<int>(std::ceil(span * kSizeGap_px / plot.width())));
  for (int e = first; e <= axes.log_high; ++e) {
    const double x = axes.x(std::exp2(e));
    out.size_ticks.push_back({{x, plot.bottom}, {x, plot.bottom + kSizeTick_px}});
    if ((e - first) % every == 0) {
      out.size_names.push_back(place_text(format_capacity(std::exp2(e)), TextAnchor::middle, x,
                                          plot.bottom + 15, measure));
    }
  }
  out.size_axis = place_text(size_name, TextAnchor::middle, (plot.left + plot.right) / 2,
                             plot.bottom + 36, measure);
  out.value_axis =
      place_text(std::string(unit), TextAnchor::start, plot.left, plot.top - 14, measure);
}

// Dashed lines at cache capacities. The last name is right of its line, the others left of theirs,
// each on its own row, since capacities may be close together.
void mark_capacities(SweepPlot& out, const Axes& axes, const kernels::DeviceInfo& device,
                     bool one_thread, const MeasureText& measure) {
  // GPU bandwidth kernels bypass L1; the single thread of a latency kernel uses the L1 of its SM.
  const bool past_l1 = device.target == kernels::Target::cuda && !one_thread;
  const std::pair<std::string, double> caches[] = {
      {"L1", past_l1 ? 0.0 : device.l1_bytes}, {"L2", device.l2_bytes}, {"L3", device.l3_bytes}};
  std::vector<std::pair<double, std::string>> marks;
  for (const auto& [name, bytes] : caches) {
    if (bytes > std::exp2(axes.log_low) && bytes < std::exp2(axes.log_high)) {
      marks.emplace_back(axes.x(bytes), name + ' ' + format_capacity(bytes));
    }
  }
  std::ranges::sort(marks);
  constexpr double kNameWidth_px = 100;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto& [x, name] = marks[i];
    const bool right = i + 1 == marks.size() ? x + kNameWidth_px < axes.plot.right
                                             : x - kNameWidth_px < axes.plot.left;
    out.capacities.push_back(
        {{{x, axes.plot.top}, {x, axes.plot.bottom}},
         place_text(name, right ? TextAnchor::start : TextAnchor::end, x + (right ? 6 : -6),
                    axes.plot.top + 10 + 16.0 * static_cast<double>(i), measure)});
  }
}

}  // namespace

std::optional<SweepPlot> layout_sweep(const roofline::DeviceModel& device, std::string_view unit,
                                      roofline::SweepAxis axis, double width_px, double height_px,
                                      const MeasureText& measure) {
  const auto curves = curves_of(device, unit, axis);
  if (curves.empty()) return std::nullopt;
  Extent bytes;
  Extent values;
  for (const auto& [kernel, points] : curves) {
    for (const roofline::SweepPoint& p : points) {
      bytes.include(p.bytes);
      values.include(p.value);
    }
  }
  const double legend_px = kSweepLegendRow_px * static_cast<double>(curves.size());
  const Axes axes({kLeft_px, kTop_px + legend_px, width_px - kRight_px, height_px - kBottom_px},
                  bytes, values);
  SweepPlot out;
  out.width = width_px;
  out.height = height_px;
  out.plot = axes.plot;
  const bool of_messages = axis == roofline::SweepAxis::message;
  add_axes(out, axes, unit, of_messages ? "Message" : "Working set", measure);
  // Four distinct colors; the curves are named, so colors only distinguish them.
  constexpr MemoryLevel kColors[] = {MemoryLevel::hbm, MemoryLevel::nvlink,
                                     MemoryLevel::tensor_memory, MemoryLevel::l2};
  double name_y = 8;
  for (const auto& [kernel, points] : curves) {
    SweepCurve curve{kernel, kColors[out.curves.size() % 4], points, {}, {}, {}};
    for (const roofline::SweepPoint& p : points) {
      curve.at.push_back({axes.x(p.bytes), axes.y(p.value)});
    }
    curve.swatch = {{axes.plot.left, name_y}, {axes.plot.left + kSwatch_px, name_y}};
    curve.name = place_text(truncate_middle(one_line(kernel), kKernelName), TextAnchor::start,
                            axes.plot.left + kSwatch_px + 8, name_y, measure);
    name_y += kSweepLegendRow_px;
    out.curves.push_back(std::move(curve));
  }
  if (!of_messages) mark_capacities(out, axes, device.device, unit == "s", measure);
  return out;
}

Drawing draw(const SweepPlot& plot) {
  constexpr double kPoint_px = 3.5;
  Drawing out(plot.width, plot.height);
  Style line = stroked(surface_ink(&Surface::grid));
  line.crisp = true;
  const StyleId grid = out.style(line);
  const StyleId faint = out.style(filled(surface_ink(&Surface::faint_text)));
  out.segments(plot.value_lines, grid);
  out.segments(plot.size_ticks, grid);
  for (const PlacedText& name : plot.value_names) out.text(name, faint);
  for (const PlacedText& name : plot.size_names) out.text(name, faint);
  out.text(plot.size_axis, faint);
  out.text(plot.value_axis, faint);
  const StyleId text = out.style(filled(surface_ink(&Surface::text)));
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const SweepCurve& curve = plot.curves[c];
    Style stroke = stroked(tier_ink(curve.color), 2);
    stroke.round = true;
    const StyleId curve_style = out.style(stroke);
    Style fill = filled(tier_ink(curve.color));
    fill.stroke = surface_ink(&Surface::background);
    const StyleId point_style = out.style(fill);
    out.polyline(curve.at, curve_style);
    out.line(curve.swatch.a, curve.swatch.b, curve_style);
    for (std::size_t i = 0; i < curve.at.size(); ++i) {
      const Link link{Link::To::sweep_point, static_cast<std::uint32_t>(c),
                      static_cast<std::uint32_t>(i)};
      out.mark(MarkShape::circle, curve.at[i], kPoint_px, point_style, link);
      out.set_title(link, sweep_tooltip(curve.points[i]));
    }
    out.text(curve.name, text);
  }
  Style dashed = stroked(surface_ink(&Surface::axis));
  dashed.pattern = LinePattern::dashed;
  Style label = filled(surface_ink(&Surface::faint_text));
  label.halo = true;
  for (const SweepCapacity& capacity : plot.capacities) {
    out.line(capacity.line.a, capacity.line.b, out.style(dashed));
    out.text(capacity.name, out.style(label));
  }
  return out;
}

std::string sweep_tooltip(const roofline::SweepPoint& point) {
  return point.kernel + ", " + format_capacity(point.bytes) + ": " +
         format_si(point.value, point.unit);
}

}  // namespace mansard::figure
