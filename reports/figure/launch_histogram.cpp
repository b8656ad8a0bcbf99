// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_histogram.h"

#include <algorithm>
#include <cmath>

#include "reports/figure/axis_styles.h"
#include "reports/figure/linear_scale.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kLaunchHistogramMargin_px = 10;
constexpr double kLine_px = 16;  // of a text
constexpr double kLaunchHistogramGap_px = 5;
constexpr double kTickNames_px = 12;  // below the name of the count 0, which is left of them
constexpr std::size_t kMostMarks = 3;
constexpr double kLaunchHistogramTickGap_px = 44;
constexpr double kCountGap_px = 18;
constexpr double kBin_px = 7;  // least width
constexpr std::size_t kMostBins = 60;
// Linear bins would hide the shape of the rest behind one long launch.
constexpr double kLogarithmicFrom = 8;  // longest / shortest
constexpr double kTail = 0.95;

// The x axis: durations to positions, and the edges of the bins.
class DurationAxis {
 public:
  DurationAxis(double min_s, double max_s, bool logarithmic, const Rect& plot)
      : linear_(LinearScale(min_s, max_s, plot.left, plot.right)) {
    if (logarithmic) log_.emplace(min_s, max_s, plot.left, plot.right);
  }

  double map(double seconds) const { return log_ ? log_->map(seconds) : linear_.map(seconds); }
  double invert(double px) const { return log_ ? log_->invert(px) : linear_.invert(px); }

  // Labeled ticks and the prefix of their unit; labels of a logarithmic axis have their own.
  LinearTicks ticks() const {
    if (!log_) return linear_ticks_apart(linear_, kLaunchHistogramTickGap_px, TickLabels::si);
    return {figure::ticks(*log_, TickLabels::seconds, kLaunchHistogramTickGap_px), ""};
  }

 private:
  LinearScale linear_;
  std::optional<LogScale> log_;
};

void set_statistics(LaunchHistogram& out, std::vector<double> durations_s) {
  const auto [least, most] = std::ranges::minmax_element(durations_s);
  out.min_s = *least;
  out.max_s = *most;
  out.median_s = median(durations_s);
  out.p95_s = quantile(std::move(durations_s), kTail);
}

std::pair<double, double> axis_range(const LaunchHistogram& h) {
  if (h.max_s > h.min_s) return {h.min_s, h.max_s};
  const double margin_s = h.max_s > 0 ? 0.05 * h.max_s : 1e-9;
  return {std::max(0.0, h.min_s - margin_s), h.max_s + margin_s};
}

void count_launches(LaunchHistogram& out, const LaunchSample& sample, const DurationAxis& axis) {
  const auto count = static_cast<std::size_t>(
      std::clamp(out.plot.width() / kBin_px, 1.0, static_cast<double>(kMostBins)));
  const double bin_px = out.plot.width() / static_cast<double>(count);
  out.bins.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double left = out.plot.left + bin_px * static_cast<double>(i);
    out.bins[i].from_s = axis.invert(left);
    out.bins[i].to_s = axis.invert(left + bin_px);
    out.bins[i].rect = {left, out.plot.bottom, left + bin_px, out.plot.bottom};
  }
  for (std::size_t i = 0; i < sample.durations_s.size(); ++i) {
    const double at = (axis.map(sample.durations_s[i]) - out.plot.left) / bin_px;
    const auto bin = static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(count - 1)));
    out.bin_of.push_back(static_cast<std::uint32_t>(bin));
    ++out.bins[bin].launches;
    if (sample.passes.empty() || sample.passes[i]) ++out.bins[bin].passing;
  }
}

void set_heights(LaunchHistogram& out, const LinearScale& counts) {
  for (DurationBin& bin : out.bins) {
    bin.rect.top = counts.map(static_cast<double>(bin.launches));
    bin.passing_rect = bin.rect;
    bin.passing_rect.top = counts.map(static_cast<double>(bin.passing));
  }
}

std::string count_text(std::int64_t launches, const char* kind = "") {
  return format_whole(launches) + kind + (launches == 1 ? " launch" : " launches");
}

std::string launches_text(const LaunchSample& sample) {
  return count_text(std::ssize(sample.durations_s), sample.disturbed > 0 ? " undisturbed" : "");
}

// Keeps the name inside the figure.
PlacedText name_at(std::string text, double x, double y, const LaunchHistogram& h,
                   const MeasureText& measure) {
  PlacedText name = place_text(std::move(text), TextAnchor::middle, x, y, measure);
  if (name.box.left < kLaunchHistogramMargin_px) {
    return place_text(std::move(name.text), TextAnchor::start, kLaunchHistogramMargin_px, y,
                      measure);
  }
  if (name.box.right > h.width - kLaunchHistogramMargin_px) {
    return place_text(std::move(name.text), TextAnchor::end, h.width - kLaunchHistogramMargin_px, y,
                      measure);
  }
  return name;
}

}  // namespace

std::optional<LaunchHistogram> layout_launch_histogram(const LaunchSample& sample, double width_px,
                                                       double height_px,
                                                       const MeasureText& measure) {
  if (sample.durations_s.empty()) return std::nullopt;
  LaunchHistogram out;
  out.width = width_px;
  out.height = height_px;
  set_statistics(out, sample.durations_s);
  out.logarithmic = out.min_s > 0 && out.max_s >= kLogarithmicFrom * out.min_s;

  struct Value {
    const char* name;
    double seconds;
  };
  std::vector<Value> values = {{"median", out.median_s}, {"p95", out.p95_s}};
  if (sample.selected) values.push_back({"this launch", sample.durations_s[*sample.selected]});
  // The plot keeps its place when a launch is selected.
  const double top = kLaunchHistogramGap_px + kLine_px * (1.5 + static_cast<double>(kMostMarks));
  out.plot = {kLaunchHistogramMargin_px, top, width_px - kLaunchHistogramMargin_px,
              height_px - kLaunchHistogramGap_px - kTickNames_px - 1.5 * kLine_px};

  // The names of the counts need room at the left, and the bins depend on it: the largest count is
  // known only after that, so that the room is for the number of launches.
  const std::string most_launches = format_whole(std::ssize(sample.durations_s));
  out.plot.left += measure(most_launches).width + kLaunchHistogramGap_px;
  out.plot.right = std::max(out.plot.right, out.plot.left + kBin_px);
  const auto [low_s, high_s] = axis_range(out);
  const DurationAxis axis(low_s, high_s, out.logarithmic, out.plot);
  count_launches(out, sample, axis);
  std::int64_t highest = 1;
  for (const DurationBin& bin : out.bins) highest = std::max(highest, bin.launches);
  const LinearScale counts(0, static_cast<double>(highest), out.plot.bottom, out.plot.top);
  set_heights(out, counts);

  const double per_px = static_cast<double>(highest) / out.plot.height();
  const double step = std::max(1.0, even_step(per_px * kCountGap_px));
  out.count_ticks = linear_ticks(counts, step, TickLabels::number).ticks;
  for (Tick& tick : out.count_ticks) {
    tick.label = format_whole(static_cast<std::int64_t>(std::llround(tick.value)));
    out.count_names.push_back(place_text(
        tick.label, TextAnchor::end, out.plot.left - kLaunchHistogramGap_px, tick.pixel, measure));
  }
  LinearTicks ticks = axis.ticks();
  out.ticks = std::move(ticks.ticks);
  const double names_y = out.plot.bottom + kLaunchHistogramGap_px + kTickNames_px;
  for (const Tick& tick : out.ticks) {
    if (tick.label.empty()) continue;
    PlacedText name = name_at(tick.label, tick.pixel, names_y, out, measure);
    // At the edges, a name is not below its tick.
    const bool fits = out.tick_names.empty() ||
                      name.box.left >= out.tick_names.back().box.right + kLaunchHistogramGap_px;
    if (fits) out.tick_names.push_back(std::move(name));
  }
  const std::string unit = out.logarithmic ? ", log scale" : " (" + ticks.prefix + "s)";
  out.title = place_text(fit_text(launches_text(sample) + ": duration" + unit,
                                  width_px - 2 * kLaunchHistogramMargin_px, measure),
                         TextAnchor::start, kLaunchHistogramMargin_px,
                         kLaunchHistogramGap_px + kLine_px / 2, measure);
  double y = out.title.box.top + kLine_px * 1.5;
  for (const Value& value : values) {
    const double x = axis.map(value.seconds);
    out.marks.push_back(
        {value.seconds,
         {{x, y + kLine_px / 2}, {x, out.plot.bottom}},
         name_at(value.name + (" " + format_si(value.seconds, "s")), x, y, out, measure)});
    y += kLine_px;
  }
  const double ends_y = names_y + kLine_px;
  out.least = place_text("min " + format_si(out.min_s, "s"), TextAnchor::start,
                         kLaunchHistogramMargin_px, ends_y, measure);
  out.most = place_text("max " + format_si(out.max_s, "s"), TextAnchor::end,
                        width_px - kLaunchHistogramMargin_px, ends_y, measure);
  return out;
}

std::string describe(const DurationBin& bin, const LaunchHistogram& histogram) {
  std::int64_t all = 0;
  for (const DurationBin& each : histogram.bins) all += each.launches;
  std::string text = format_si(bin.from_s, "s", 4) + " to " + format_si(bin.to_s, "s", 4) + ": " +
                     count_text(bin.launches) + " (" +
                     format_percent(static_cast<double>(bin.launches) / static_cast<double>(all)) +
                     ')';
  if (bin.passing != bin.launches) text += ", " + format_whole(bin.passing) + " pass the filter";
  return text;
}

Drawing draw(const LaunchHistogram& histogram, analysis::OperationClass operation_class) {
  Drawing out(histogram.width, histogram.height);
  const StyleId text = out.style(filled(surface_ink(&Surface::text)));
  const StyleId faint = out.style(filled(surface_ink(&Surface::faint_text)));
  const auto [grid, axis] = axis_styles(out);
  Style nothing = filled(surface_ink(&Surface::background));
  nothing.fill_opacity = 0;
  const StyleId strip = out.style(nothing);
  Style pale = filled(class_ink(operation_class));
  pale.fill_opacity = 0.3F;
  const StyleId excluded = out.style(pale);
  const StyleId passing = out.style(filled(class_ink(operation_class)));

  const Rect& plot = histogram.plot;
  for (const Tick& tick : histogram.count_ticks) {
    out.line({plot.left, tick.pixel}, {plot.right, tick.pixel}, grid);
  }
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const DurationBin& bin = histogram.bins[i];
    if (bin.launches == 0) continue;
    const Link link{Link::To::bar, static_cast<std::uint32_t>(i)};
    out.set_title(link, describe(bin, histogram));
    // The pointer finds bars that are a fraction of a pixel high.
    out.rect({bin.rect.left, plot.top, bin.rect.right, plot.bottom}, strip, link);
    // A gap between bins; a bar that is lower than a pixel is drawn as a line.
    const auto inset = [&](Rect rect) {
      rect.right -= 1;
      rect.top = std::min(rect.top, plot.bottom - 1);
      return rect;
    };
    if (bin.passing < bin.launches) out.rect(inset(bin.rect), excluded, link);
    if (bin.passing > 0) out.rect(inset(bin.passing_rect), passing, link);
  }
  out.line({plot.left, plot.bottom}, {plot.right, plot.bottom}, axis);
  for (const Tick& tick : histogram.ticks) {
    out.line({tick.pixel, plot.bottom}, {tick.pixel, plot.bottom + 3}, axis);
  }
  for (std::size_t i = 0; i < histogram.marks.size(); ++i) {
    const DurationMark& mark = histogram.marks[i];
    Style style = stroked(surface_ink(i < 2 ? &Surface::text : &Surface::accent), 1.5);
    if (i == 1) style.pattern = LinePattern::dashed;
    out.line(mark.line.a, mark.line.b, out.style(style));
  }
  Style name = filled(surface_ink(&Surface::text));
  name.halo = true;  // a line of the row above may cross it
  const StyleId over = out.style(name);
  for (const DurationMark& mark : histogram.marks) out.text(mark.name, over);
  out.text(histogram.title, text);
  for (const PlacedText& each : histogram.tick_names) out.text(each, faint);
  for (const PlacedText& each : histogram.count_names) out.text(each, faint);
  out.text(histogram.least, text);
  out.text(histogram.most, text);
  return out;
}

}  // namespace mansard::figure
