// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/sample_plot.h"

#include <algorithm>
#include <cmath>

#include "support/statistics.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kSamplePlotMargin_px = 12;
constexpr double kTitle_px = 22;  // above each strip
constexpr double kAxis_px = 40;   // below the last one
constexpr double kSamplePlotNameGap_px = 7;
constexpr double kValueTicks_px = 26;
constexpr double kNumberTicks_px = 60;
constexpr double kSamplePlotPadding = 0.08;  // of the range, above and below
constexpr double kHalf = 0.5;                // a sample, left and right of its number

struct Quantity {
  std::string name;
  std::string unit;
  std::vector<double> values;  // by sample
  std::optional<double> middle;
};

std::string value_name(const roofline::Ceiling& ceiling) {
  switch (ceiling.role) {
    case kernels::KernelRole::bandwidth_ceiling:
      return "bandwidth";
    case kernels::KernelRole::latency_ceiling:
      return "latency";
    case kernels::KernelRole::overhead_ceiling:
      return "time per op";
    default:
      return "rate";
  }
}

std::vector<Quantity> quantities_of(const roofline::Ceiling& ceiling) {
  std::vector<Quantity> all = {{value_name(ceiling), ceiling.unit, {}, ceiling.value},
                               {"clock", "Hz", {}, std::nullopt},
                               {"power", "W", {}, std::nullopt}};
  for (const roofline::Sample& s : ceiling.samples) {
    all[0].values.push_back(s.value);
    // 0: unknown.
    all[1].values.push_back(s.clock_hz > 0 ? s.clock_hz : NAN);
    all[2].values.push_back(s.power_w > 0 ? s.power_w : NAN);
  }
  std::erase_if(all, [](const Quantity& q) {
    return std::ranges::none_of(q.values, [](double v) { return std::isfinite(v); });
  });
  return all;
}

LinearScale scale_of(const Quantity& quantity, double middle, double bottom, double top) {
  double low = middle;
  double high = middle;
  for (const double value : quantity.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Equal samples are drawn in the middle.
  const double padding =
      high > low ? kSamplePlotPadding * (high - low) : std::max(std::fabs(high) * 0.01, 1e-12);
  return LinearScale(low - padding, high + padding, bottom, top);
}

SampleStrip strip_of(const Quantity& quantity, const roofline::Ceiling& ceiling, double top,
                     double bottom) {
  std::vector<double> counted;
  for (std::size_t i = 0; i < quantity.values.size(); ++i) {
    if (std::isfinite(quantity.values[i]) && !ceiling.samples[i].settling) {
      counted.push_back(quantity.values[i]);
    }
  }
  if (counted.empty()) {
    std::ranges::copy_if(quantity.values, std::back_inserter(counted),
                         [](double v) { return std::isfinite(v); });
  }
  const double middle = quantity.middle.value_or(median(counted));
  SampleStrip strip{.name = quantity.name,
                    .unit = quantity.unit,
                    .plot = {0, top, 0, bottom},
                    .scale = scale_of(quantity, middle, bottom, top),
                    .ticks = {},
                    .tick_names = {},
                    .title = {},
                    .dots = {},
                    .middle = middle,
                    .low = quantile(counted, 0.25),
                    .high = quantile(counted, 0.75),
                    .middle_line = {},
                    .quartiles = {},
                    .middle_name = {}};
  return strip;
}

// The parts of the layout that depend on the width of the names at the left.
void place(SampleStrip& strip, const Quantity& quantity, const std::string& prefix,
           const LinearScale& numbers, const MeasureText& measure) {
  const Rect& plot = strip.plot;
  for (const Tick& tick : strip.ticks) {
    strip.tick_names.push_back(place_text(tick.label, TextAnchor::end,
                                          plot.left - kSamplePlotNameGap_px, tick.pixel, measure));
  }
  const double line = plot.top - kTitle_px / 2;
  strip.title = place_text(strip.name + " (" + prefix + strip.unit + ')', TextAnchor::start,
                           plot.left, line, measure);
  strip.middle_name =
      place_text(fit_text("median " + format_si(strip.middle, strip.unit),
                          plot.right - strip.title.box.right - 2 * kSamplePlotNameGap_px, measure),
                 TextAnchor::end, plot.right, line, measure);
  for (std::size_t i = 0; i < quantity.values.size(); ++i) {
    if (!std::isfinite(quantity.values[i])) continue;
    strip.dots.push_back(
        {i, {numbers.map(static_cast<double>(i + 1)), strip.scale.map(quantity.values[i])}});
  }
  const double middle = strip.scale.map(strip.middle);
  strip.middle_line = {{plot.left, middle}, {plot.right, middle}};
  strip.quartiles = {plot.left, strip.scale.map(strip.high), plot.right,
                     strip.scale.map(strip.low)};
}

void add_axis(SamplePlot& out, const LinearScale& numbers, const MeasureText& measure) {
  const Rect& last = out.strips.back().plot;
  const double per_px = (numbers.max() - numbers.min()) / last.width();
  const double step = std::max(1.0, even_step(per_px * kNumberTicks_px));
  out.ticks = linear_ticks(numbers, step, TickLabels::number).ticks;
  std::erase_if(out.ticks,
                [&](const Tick& t) { return t.value < 1 || t.value > numbers.max() - kHalf; });
  for (const Tick& tick : out.ticks) {
    out.tick_names.push_back(
        place_text(tick.label, TextAnchor::middle, tick.pixel, last.bottom + 11, measure));
  }
  out.axis_name = place_text("sample", TextAnchor::middle, (last.left + last.right) / 2,
                             last.bottom + 29, measure);
}

}  // namespace

std::optional<SamplePlot> layout_sample_plot(const roofline::Ceiling& ceiling, double width_px,
                                             double height_px, const MeasureText& measure) {
  const std::vector<Quantity> quantities = quantities_of(ceiling);
  if (quantities.empty()) return std::nullopt;
  SamplePlot out;
  out.width = width_px;
  out.height = height_px;

  // The strip of the value is slightly higher than those of clock and power together.
  const double room =
      std::max(60.0, height_px - kAxis_px - kTitle_px * static_cast<double>(quantities.size()) - 4);
  const double shares = 1 + 0.4 * static_cast<double>(quantities.size() - 1);
  std::vector<std::string> prefixes;
  double names_width = 0;
  double top = 4;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    top += kTitle_px;
    const double bottom = top + room * (i == 0 ? 1 : 0.4) / shares;
    SampleStrip strip = strip_of(quantities[i], ceiling, top, bottom);
    LinearTicks ticks = linear_ticks_apart(strip.scale, kValueTicks_px, TickLabels::si);
    strip.ticks = std::move(ticks.ticks);
    prefixes.push_back(std::move(ticks.prefix));
    for (const Tick& tick : strip.ticks) {
      names_width = std::max(names_width, measure(tick.label).width);
    }
    out.strips.push_back(std::move(strip));
    top = bottom;
  }
  const double left = kSamplePlotMargin_px + names_width + kSamplePlotNameGap_px;
  const double right = std::max(left + 40, width_px - kSamplePlotMargin_px);
  const LinearScale numbers(kHalf, static_cast<double>(ceiling.samples.size()) + kHalf, left,
                            right);
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    out.strips[i].plot.left = left;
    out.strips[i].plot.right = right;
    place(out.strips[i], quantities[i], prefixes[i], numbers, measure);
  }
  for (std::size_t i = 1; i < ceiling.samples.size(); ++i) {
    if (ceiling.samples[i].campaign == ceiling.samples[i - 1].campaign) continue;
    const double x = numbers.map(static_cast<double>(i) + kHalf);
    out.campaigns.push_back({{x, out.strips.front().plot.top}, {x, out.strips.back().plot.bottom}});
  }
  add_axis(out, numbers, measure);
  return out;
}

Drawing draw(const SamplePlot& plot, const roofline::Ceiling& ceiling) {
  constexpr std::size_t kManyDots = 600;
  Drawing out(plot.width, plot.height);
  const StyleId text = out.style(filled(surface_ink(&Surface::text)));
  const StyleId faint = out.style(filled(surface_ink(&Surface::faint_text)));
  Style line = stroked(surface_ink(&Surface::grid));
  line.crisp = true;
  const StyleId grid = out.style(line);
  Style shade = filled(class_ink("gemm"));
  shade.fill_opacity = 0.16F;
  const StyleId band = out.style(shade);
  const StyleId middle = out.style(stroked(class_ink("gemm"), 1.5));
  for (const SampleStrip& strip : plot.strips) {
    for (std::size_t i = 0; i < strip.ticks.size(); ++i) {
      const double y = strip.ticks[i].pixel;
      out.line({strip.plot.left, y}, {strip.plot.right, y}, grid);
      out.text(strip.tick_names[i], faint);
    }
    out.rect(strip.quartiles, band);
    out.line(strip.middle_line.a, strip.middle_line.b, middle);
    out.text(strip.title, faint);
    out.text(strip.middle_name, text);
  }
  Style dashed = stroked(surface_ink(&Surface::axis));
  dashed.pattern = LinePattern::dashed;
  out.segments(plot.campaigns, out.style(dashed));
  for (const SampleStrip& strip : plot.strips) {
    const double radius = strip.dots.size() > kManyDots ? 1.4 : 2.2;
    const bool first = &strip == &plot.strips.front();
    for (const SampleDot& dot : strip.dots) {
      const roofline::Sample& sample = ceiling.samples[dot.sample];
      const Ink ink = surface_ink(sample.throttled ? &Surface::loss
                                  : first          ? &Surface::compute
                                                   : &Surface::faint_text);
      out.mark(MarkShape::circle, dot.at, radius,
               out.style(sample.settling ? stroked(ink) : filled(ink)),
               {Link::To::sample, static_cast<std::uint32_t>(dot.sample)});
    }
  }
  for (const PlacedText& name : plot.tick_names) out.text(name, faint);
  out.text(plot.axis_name, faint);
  return out;
}

}  // namespace mansard::figure
