// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/time_scale.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace mansard::figure {
namespace {

void check_pixels(double pixel_min, double pixel_max) {
  if (pixel_min < pixel_max) return;
  throw std::invalid_argument("time axis from pixel " + std::to_string(pixel_min) + " to " +
                              std::to_string(pixel_max) + ": the first must be smaller");
}

}  // namespace

double difference_ns(std::int64_t a, std::int64_t b) {
  // Unsigned, since the difference of times with opposite signs may overflow a signed integer.
  const auto apart = [](std::int64_t later, std::int64_t earlier) {
    return static_cast<double>(static_cast<std::uint64_t>(later) -
                               static_cast<std::uint64_t>(earlier));
  };
  return a >= b ? apart(a, b) : -apart(b, a);
}

TimeScale::TimeScale(TimeSpan limits, double pixel_min, double pixel_max)
    : limits_(limits), pixel_min_(pixel_min), pixel_max_(pixel_max) {
  if (limits.end_ns < limits.start_ns) {
    throw std::invalid_argument("time axis from " + std::to_string(limits.start_ns) + " ns to " +
                                std::to_string(limits.end_ns) + " ns: it ends before it starts");
  }
  check_pixels(pixel_min, pixel_max);
  // An instant needs a nonzero width.
  extent_ns_ = std::max(difference_ns(limits.end_ns, limits.start_ns), kMinLength_ns);
  length_ns_ = extent_ns_;
}

TimeScale TimeScale::windowed(double offset_ns, double length_ns) const {
  TimeScale scale = *this;
  scale.length_ns_ = std::clamp(length_ns, kMinLength_ns, extent_ns_);
  scale.offset_ns_ = std::clamp(offset_ns, 0.0, extent_ns_ - scale.length_ns_);
  return scale;
}

std::int64_t TimeScale::time_at(double whole_offset_ns) const {
  if (!(whole_offset_ns > 0)) return limits_.start_ns;
  if (whole_offset_ns >= difference_ns(limits_.end_ns, limits_.start_ns)) return limits_.end_ns;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(limits_.start_ns) +
                                   static_cast<std::uint64_t>(whole_offset_ns));
}

std::int64_t TimeScale::start_ns() const { return time_at(std::floor(offset_ns_)); }
std::int64_t TimeScale::end_ns() const { return time_at(std::ceil(offset_ns_ + length_ns_)); }

double TimeScale::map(std::int64_t time_ns) const {
  return pixel_min_ + (difference_ns(time_ns, limits_.start_ns) - offset_ns_) / ns_per_px();
}

std::int64_t TimeScale::invert(double pixel) const {
  return time_at(std::round(offset_ns_ + (pixel - pixel_min_) * ns_per_px()));
}

TimeScale TimeScale::zoomed(double factor, double pixel) const {
  if (!(factor > 0)) return *this;
  const double length = std::clamp(length_ns_ / factor, kMinLength_ns, extent_ns_);
  const double part = (pixel - pixel_min_) / (pixel_max_ - pixel_min_);
  return windowed(offset_ns_ + part * (length_ns_ - length), length);
}

TimeScale TimeScale::panned(double pixels) const {
  return windowed(offset_ns_ - pixels * ns_per_px(), length_ns_);
}

TimeScale TimeScale::showing(TimeSpan window) const {
  const double length = difference_ns(window.end_ns, window.start_ns);
  const double wider = std::max(0.0, kMinLength_ns - length);
  return windowed(difference_ns(window.start_ns, limits_.start_ns) - wider / 2, length);
}

TimeScale TimeScale::resized(double pixel_min, double pixel_max) const {
  check_pixels(pixel_min, pixel_max);
  TimeScale scale = *this;
  scale.pixel_min_ = pixel_min;
  scale.pixel_max_ = pixel_max;
  return scale;
}

}  // namespace mansard::figure
