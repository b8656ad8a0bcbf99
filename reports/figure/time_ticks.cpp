// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/time_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mansard::figure {
namespace {

constexpr double kTimeTicksMinorGap_px = 5;
constexpr std::array kUnits = {TimeUnit{1'000'000'000, 9, "s"}, TimeUnit{1'000'000, 6, "ms"},
                               TimeUnit{1'000, 3, "µs"}, TimeUnit{1, 0, "ns"}};

const TimeUnit& unit_of(std::uint64_t size_ns) {
  for (const TimeUnit& unit : kUnits) {
    if (size_ns >= static_cast<std::uint64_t>(unit.ns)) return unit;
  }
  return kUnits.back();
}

std::uint64_t magnitude(std::int64_t ns) {
  return ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns)
                : static_cast<std::uint64_t>(ns);
}

// Formats with `decimals` digits after the point; the time must not need more in this unit.
std::string in_unit(std::int64_t time_ns, const TimeUnit& unit, int decimals) {
  const std::uint64_t size = magnitude(time_ns);
  const auto unit_ns = static_cast<std::uint64_t>(unit.ns);
  std::string text = (time_ns < 0 ? "-" : "") + std::to_string(size / unit_ns);
  if (decimals > 0) {
    std::string fraction = std::to_string(size % unit_ns);
    fraction.insert(0, static_cast<std::size_t>(unit.digits) - fraction.size(), '0');
    text += '.' + fraction.substr(0, static_cast<std::size_t>(decimals));
  }
  return text + ' ' + std::string(unit.symbol);
}

constexpr int kLargestExponent = 18;

// Steps between labels are divided evenly into integer nanoseconds.
int minor_parts(const TimeStep& step, double step_px) {
  const std::array<int, 2> wanted = step.digit == 2 ? std::array{4, 2} : std::array{5, 1};
  for (const int parts : wanted) {
    if (step.ns % parts == 0 && step_px / parts >= kTimeTicksMinorGap_px) return parts;
  }
  return 1;
}

// The full range of 64 bits, for labels `label_gap_px` apart.
std::vector<TimeStep> all_steps(double label_gap_px) {
  std::vector<TimeStep> steps;
  std::int64_t power = 1;
  for (int exponent = 0; exponent <= kLargestExponent; ++exponent) {
    if (exponent > 0) power *= 10;
    for (const int digit : {1, 2, 5}) {
      TimeStep step{digit * power, digit, exponent};
      step.parts = minor_parts(step, label_gap_px);
      steps.push_back(step);
    }
  }
  return steps;
}

TimeStep step_of_at_least(double ns, double label_gap_px) {
  const std::vector<TimeStep> steps = all_steps(label_gap_px);
  const auto found = std::ranges::find_if(
      steps, [=](const TimeStep& step) { return static_cast<double>(step.ns) >= ns; });
  return found == steps.end() ? steps.back() : *found;
}

std::int64_t floor_to(std::int64_t value, std::int64_t multiple) {
  const std::int64_t down = value % multiple;
  return value - (down < 0 ? down + multiple : down);
}

// Relative to the origin, saturated to 64 bits.
std::int64_t offset_ns(std::int64_t time_ns, std::int64_t origin_ns) {
  constexpr double kMaxTime = 9.2e18;
  const double wide = difference_ns(time_ns, origin_ns);
  if (wide > kMaxTime) return INT64_MAX / 2;
  if (wide < -kMaxTime) return INT64_MIN / 2;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) -
                                   static_cast<std::uint64_t>(origin_ns));
}

}  // namespace

std::span<const TimeUnit> time_units() { return kUnits; }

std::vector<TimeStep> time_steps(double longest_ns, double label_gap_px) {
  std::vector<TimeStep> steps = all_steps(label_gap_px);
  const auto longer = std::ranges::find_if(
      steps, [=](const TimeStep& step) { return static_cast<double>(step.ns) >= longest_ns; });
  if (longer != steps.end()) steps.erase(longer + 1, steps.end());
  return steps;
}

std::string exact_time(std::int64_t time_ns) {
  if (time_ns == 0) return "0 s";
  const TimeUnit& unit = unit_of(magnitude(time_ns));
  int decimals = unit.digits;
  for (std::uint64_t rest = magnitude(time_ns); decimals > 0 && rest % 10 == 0; rest /= 10) {
    --decimals;
  }
  return in_unit(time_ns, unit, decimals);
}

TimeAxis time_axis(const TimeScale& scale, std::int64_t origin_ns, double label_gap_px) {
  TimeAxis axis;
  const TimeStep step = step_of_at_least(scale.ns_per_px() * label_gap_px, label_gap_px);
  const std::int64_t first = offset_ns(scale.start_ns(), origin_ns);
  const std::int64_t last = offset_ns(scale.end_ns(), origin_ns);

  std::int64_t base = 0;
  if (std::max(magnitude(first), magnitude(last)) / static_cast<std::uint64_t>(step.ns) >
      static_cast<std::uint64_t>(kFarFromOrigin)) {
    // A multiple of a power of ten longer than the window, so that the base rarely changes while
    // panning.
    const double long_ns = std::max(scale.length_ns(), static_cast<double>(step.ns));
    std::int64_t multiple = 1;
    while (static_cast<double>(multiple) < long_ns) multiple *= 10;
    base = floor_to(first, multiple);
    axis.base = exact_time(base);
  }
  const TimeUnit& unit = unit_of(std::max(magnitude(first - base), magnitude(last - base)));
  const int decimals = std::max(0, unit.digits - step.exponent);
  const std::int64_t stride = step.ns / step.parts;
  for (std::int64_t at = floor_to(first, stride); at <= last; at += stride) {
    if (at < first) continue;
    TimeTick tick{origin_ns + at, 0, {}};
    tick.pixel = scale.map(tick.time_ns);
    if ((at - base) % step.ns == 0) {
      tick.label = at == base ? "0" : in_unit(at - base, unit, decimals);
    }
    axis.ticks.push_back(std::move(tick));
  }
  return axis;
}

}  // namespace mansard::figure
