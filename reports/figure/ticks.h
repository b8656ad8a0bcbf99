// SPDX-License-Identifier: Apache-2.0
// Ticks of a logarithmic axis at any zoom: decades for wide ranges, 1-2-5 and 1..9 for narrower
// ones, even steps for a fraction of a decade.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/log_scale.h"

namespace mansard::figure {

struct Tick {
  double value = 0;
  double pixel = 0;
  bool decade = false;  // a power of ten, or a labeled tick if the axis has no powers of ten
  std::string label;    // empty on minor ticks
};

enum class TickLabels {
  si,       // "100 G", "10 T", "1 m"
  number,   // "0.01", "100", "10 k": ratios, without prefixes below 1
  seconds,  // "10 µs", "1 ms"
};

// Sorted by value; labeled ticks are at least `label_gap_px` apart.
std::vector<Tick> ticks(const LogScale& scale, TickLabels labels, double label_gap_px);

std::string tick_label(double value, TickLabels labels);

struct SiPrefix {
  double factor = 1;
  std::string_view symbol = "";
};

// The largest prefix that is not above `magnitude`, or the smallest one if all are; no prefix for
// zero.
SiPrefix si_prefix(double magnitude);

}  // namespace mansard::figure
