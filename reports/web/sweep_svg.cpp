// SPDX-License-Identifier: Apache-2.0
#include "reports/web/sweep_svg.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/vocabulary/units.h"
#include "reports/figure/geometry.h"
#include "reports/figure/linear_scale.h"
#include "reports/formats/text.h"
#include "reports/web/svg.h"
#include "reports/web/theme.h"

namespace mansard {
namespace {

using Curve = std::vector<SweepPoint>;

// By kernel, each by rising working set; points that no logarithmic axis can show are left out.
std::map<std::string, Curve> curves_of(const DeviceModel& device, std::string_view unit) {
  std::map<std::string, Curve> curves;
  for (const SweepPoint& p : device.sweep) {
    if (p.unit == unit && p.working_set_bytes > 0 && std::isfinite(p.working_set_bytes) &&
        p.value > 0 && std::isfinite(p.value)) {
      curves[p.kernel].push_back(p);
    }
  }
  for (auto& [kernel, curve] : curves) {
    std::ranges::stable_sort(curve, {}, &SweepPoint::working_set_bytes);
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

// Working sets are powers of two, and so are the ticks of their axis. Values start at zero, which
// shows ratios as they are, unless the curves span so much that the low ones would lie on the axis.
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

void draw_axes(Svg& svg, const Axes& axes, std::string_view unit) {
  const Rect& plot = axes.plot;
  for (const Tick& tick : axes.value_ticks()) {
    if (tick.label.empty()) continue;
    svg.line({plot.left, tick.pixel}, {plot.right, tick.pixel}, "grid");
    svg.text({plot.left - 8, tick.pixel + 4}, "end", tick.label, "tick");
  }
  const double span = axes.log_high - axes.log_low;
  const int first = static_cast<int>(std::ceil(axes.log_low));
  const int every = std::max(1, static_cast<int>(std::ceil(span * 62 / plot.width())));
  for (int e = first; e <= axes.log_high; ++e) {
    const double x = axes.x(std::exp2(e));
    svg.line({x, plot.bottom}, {x, plot.bottom + 5}, "grid");
    if ((e - first) % every == 0) {
      svg.text({x, plot.bottom + 19}, "middle", format_capacity(std::exp2(e)), "tick");
    }
  }
  svg.text({(plot.left + plot.right) / 2, plot.bottom + 40}, "middle", "Working set", "axis");
  svg.text({plot.left, plot.top - 10}, "start", unit, "axis");
}

// Dashed lines where a cache is full. The last one's name stands to its right and the others' to
// their left, each on a row of its own, as capacities may lie close together.
void mark_capacities(Svg& svg, const Axes& axes, const DeviceInfo& device, bool one_thread) {
  // The bandwidth of a GPU is read past its L1s; a latency's one thread has the L1 of its SM.
  const bool past_l1 = device.target == Target::cuda && !one_thread;
  const std::pair<std::string, double> caches[] = {{"L1", past_l1 ? 0.0 : device.l1_bytes},
                                                   {"L2", device.l2_bytes},
                                                   {"L3", device.l3_bytes}};
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
    svg.line({x, axes.plot.top}, {x, axes.plot.bottom}, "capacity");
    svg.text({x + (right ? 6 : -6), axes.plot.top + 14 + 16.0 * static_cast<double>(i)},
             right ? "start" : "end", name, "tick capacity-label");
  }
}

void draw_curve(Svg& svg, const Axes& axes, const Curve& curve, const std::string& style) {
  std::string path;
  for (const SweepPoint& p : curve) {
    path += (path.empty() ? 'M' : 'L') + svg_number(axes.x(p.working_set_bytes)) + ' ' +
            svg_number(axes.y(p.value));
  }
  svg.path(path, "curve", style);
  for (const SweepPoint& p : curve) {
    svg.path(
        "M-3.5 0a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1 -7 0Z", "point", style,
        {axes.x(p.working_set_bytes), axes.y(p.value)},
        p.kernel + ", " + format_capacity(p.working_set_bytes) + ": " + format_si(p.value, p.unit));
  }
}

}  // namespace

std::string sweep_svg(const DeviceModel& device, std::string_view unit, const FigureSize& size,
                      std::string_view escaped_description) {
  const std::map<std::string, Curve> curves = curves_of(device, unit);
  if (curves.empty()) return {};
  Extent bytes;
  Extent values;
  for (const auto& [kernel, curve] : curves) {
    for (const SweepPoint& p : curve) {
      bytes.include(p.working_set_bytes);
      values.include(p.value);
    }
  }
  const double names_height = 20.0 * static_cast<double>(curves.size());
  const Axes axes({52, 28 + names_height, size.width - 24, size.height - 50}, bytes, values);

  Svg svg(size.width, size.height, "static " + std::string(size.css_class), escaped_description);
  draw_axes(svg, axes, unit);
  // Any four that are far apart; the curves are named, so that colour only tells them apart.
  constexpr MemoryLevel kColours[] = {MemoryLevel::hbm, MemoryLevel::nvlink,
                                      MemoryLevel::tensor_memory, MemoryLevel::l2};
  std::size_t number = 0;
  double name_y = 12;
  for (const auto& [kernel, curve] : curves) {
    const std::string style = colour_style(level_colour(kColours[number++ % 4]));
    draw_curve(svg, axes, curve, style);
    svg.line({axes.plot.left, name_y - 4}, {axes.plot.left + 22, name_y - 4}, "curve", style);
    svg.text({axes.plot.left + 30, name_y}, "start", truncate_middle(one_line(kernel), 40));
    name_y += 20;
  }
  mark_capacities(svg, axes, device.device, unit == "s");
  return std::move(svg).finish();
}

}  // namespace mansard
