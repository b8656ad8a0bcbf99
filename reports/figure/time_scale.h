// SPDX-License-Identifier: Apache-2.0
// A linear time axis: maps integer nanoseconds to pixels and back, with zoom and pan. Immutable; a
// view replaces its scale by a derived one.
#pragma once

#include <cstdint>

namespace mansard::figure {

struct TimeSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  bool operator==(const TimeSpan&) const = default;
};

// a - b, exact for differences up to 104 days (2^53 ns), independent of the origin of the times.
double difference_ns(std::int64_t a, std::int64_t b);

class TimeScale {
 public:
  // Shows all of `limits`, which windows never exceed. Throws std::invalid_argument with the values
  // if the limits end before they start or the pixels are not ascending.
  TimeScale(TimeSpan limits, double pixel_min, double pixel_max);

  const TimeSpan& limits() const { return limits_; }
  // The visible window, rounded outwards to nanoseconds.
  std::int64_t start_ns() const;
  std::int64_t end_ns() const;
  double length_ns() const { return length_ns_; }
  double ns_per_px() const { return length_ns_ / (pixel_max_ - pixel_min_); }
  double pixel_min() const { return pixel_min_; }
  double pixel_max() const { return pixel_max_; }

  double map(std::int64_t time_ns) const;
  // The nearest nanosecond within the limits.
  std::int64_t invert(double pixel) const;

  // Zooms about `pixel`; a factor of 2 shows half as much time. Limited by kMinLength_ns and the
  // limits.
  TimeScale zoomed(double factor, double pixel) const;
  // Moves the content by `pixels`, within the limits.
  TimeScale panned(double pixels) const;
  // Shows `window`, widened to kMinLength_ns and moved into the limits if necessary.
  TimeScale showing(TimeSpan window) const;
  // Maps the same window at another pixel range.
  TimeScale resized(double pixel_min, double pixel_max) const;

  // GPU timestamps have a resolution of some ten nanoseconds, so shorter windows show nothing.
  static constexpr double kMinLength_ns = 100;

 private:
  TimeScale windowed(double offset_ns, double length_ns) const;
  std::int64_t time_at(double whole_offset_ns) const;

  TimeSpan limits_;
  double extent_ns_ = 0;  // of the limits
  double offset_ns_ = 0;  // start of the window relative to the limits, which keeps it small
  double length_ns_ = 0;
  double pixel_min_ = 0;
  double pixel_max_ = 1;
};

}  // namespace mansard::figure
