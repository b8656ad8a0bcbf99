// SPDX-License-Identifier: Apache-2.0
// The ticks of a time axis at any zoom: steps of 1, 2 or 5 times a power of ten nanoseconds, whose
// labels are exact.
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
  // "46.512 s": what each label counts from, where labels from the origin itself would be long;
  // empty where they are not.
  std::string base;
  std::vector<TimeTick> ticks;  // rising
};

// Times are told from `origin_ns`, before which they are negative. Labels are at least
// `label_gap_px` apart.
TimeAxis time_axis(const TimeScale& scale, std::int64_t origin_ns, double label_gap_px);

// The rules of time_axis() as tables, for the page's script.
struct TimeUnit {
  std::int64_t ns = 1;
  int digits = 0;  // ns = 10^digits
  std::string_view symbol;
};
std::span<const TimeUnit> time_units();  // falling

struct TimeStep {
  std::int64_t ns = 1;
  int digit = 1;     // 1, 2 or 5
  int exponent = 0;  // ns = digit * 10^exponent
  int parts = 1;     // that ticks without labels divide it into
};
// The steps of axes that are `longest_ns` long at most. Steps are at least `label_gap_px` long.
std::vector<TimeStep> time_steps(double longest_ns, double label_gap_px);

// A label counts from a base of its own once the origin is this many steps away.
inline constexpr std::int64_t kFarFromOrigin = 10'000;

// Exactly, in the largest unit of ns, us, ms and s that it reaches: "1.5 us", "-12.345678 s", "0
// s".
std::string exact_time(std::int64_t time_ns);

}  // namespace mansard::figure
