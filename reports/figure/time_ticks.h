// SPDX-License-Identifier: Apache-2.0
// Ticks of a time axis at any zoom: steps of 1, 2 or 5 times a power of ten nanoseconds, with exact
// labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/time_scale.h"

namespace mansard::figure {

struct TimeTick {
  std::int64_t time_ns = 0;
  double pixel = 0;
  std::string label;  // "12.5 ms"; empty on minor ticks
};

struct TimeAxis {
  // "46.512 s": the base to which labels are relative if labels relative to the origin would be
  // long; else empty.
  std::string base;
  std::vector<TimeTick> ticks;  // sorted by time
};

// Labels are relative to `origin_ns` (negative before it) and at least `label_gap_px` apart.
TimeAxis time_axis(const TimeScale& scale, std::int64_t origin_ns, double label_gap_px);

// The rules of time_axis() as tables for the page's script.
struct TimeUnit {
  std::int64_t ns = 1;
  int digits = 0;  // ns = 10^digits
  std::string_view symbol;
};
std::span<const TimeUnit> time_units();  // largest first

struct TimeStep {
  std::int64_t ns = 1;
  int digit = 1;     // 1, 2 or 5
  int exponent = 0;  // ns = digit * 10^exponent
  int parts = 1;     // number of parts divided by unlabeled ticks
};
// The steps for axes of at most `longest_ns`. A step is at least `label_gap_px` long.
std::vector<TimeStep> time_steps(double longest_ns, double label_gap_px);

// Labels are relative to a base if the origin is at least this many steps away.
inline constexpr std::int64_t kFarFromOrigin = 10'000;

// The exact time in the largest suitable unit of ns, µs, ms and s ("1.5 µs", "-12.345678 s").
std::string exact_time(std::int64_t time_ns);

}  // namespace mansard::figure
