// SPDX-License-Identifier: Apache-2.0
// One linear axis of time: whole nanoseconds to pixels and back, zoom and pan. Immutable; a view
// replaces its scale by a derived one.
#pragma once

#include <cstdint>

namespace mansard::figure {

struct TimeSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  bool operator==(const TimeSpan&) const = default;
};

// a - b, exact up to 104 days (2^53 ns) apart whatever the times themselves count from.
double difference_ns(std::int64_t a, std::int64_t b);

class TimeScale {
 public:
  // Shows all of `limits`, which no window leaves. Throws std::invalid_argument, naming the times,
  // when it ends before it starts or the pixels are not rising.
  TimeScale(TimeSpan limits, double pixel_min, double pixel_max);

  const TimeSpan& limits() const { return limits_; }
  // The window shown, to the whole nanosecond outwards.
  std::int64_t start_ns() const;
  std::int64_t end_ns() const;
  double length_ns() const { return length_ns_; }
  double ns_per_px() const { return length_ns_ / (pixel_max_ - pixel_min_); }
  double pixel_min() const { return pixel_min_; }
  double pixel_max() const { return pixel_max_; }

  double map(std::int64_t time_ns) const;
  // The nearest whole nanosecond within the limits.
  std::int64_t invert(double pixel) const;

  // The time under `pixel` stays there; a factor of 2 shows half as much time. Stops at
  // kMinLength_ns and at the limits.
  TimeScale zoomed(double factor, double pixel) const;
  // What is drawn moves by `pixels`; stops at the limits.
  TimeScale panned(double pixels) const;
  // `window`, widened to kMinLength_ns and moved into the limits where need be.
  TimeScale showing(TimeSpan window) const;
  // The same window on another stretch of the screen.
  TimeScale resized(double pixel_min, double pixel_max) const;

  // GPUs stamp events in steps of some ten nanoseconds: closer up there is nothing to be seen.
  static constexpr double kMinLength_ns = 100;

 private:
  TimeScale windowed(double offset_ns, double length_ns) const;
  std::int64_t time_at(double whole_offset_ns) const;

  TimeSpan limits_;
  double extent_ns_ = 0;  // of the limits
  double offset_ns_ = 0;  // of the window, from the limits' start: small, whatever time counts from
  double length_ns_ = 0;
  double pixel_min_ = 0;
  double pixel_max_ = 1;
};

}  // namespace mansard::figure
