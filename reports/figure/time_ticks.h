// SPDX-License-Identifier: Apache-2.0
// The ticks of a time axis at any zoom: steps of 1, 2 or 5 times a power of ten nanoseconds, whose
// labels are exact.
#pragma once

#include <string>
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

// Exactly, in the largest unit of ns, us, ms and s that it reaches: "1.5 us", "-12.345678 s", "0
// s".
std::string exact_time(std::int64_t time_ns);

}  // namespace mansard::figure
