// SPDX-License-Identifier: Apache-2.0
// The ticks of a logarithmic axis at any zoom: decades when it is wide, 1-2-5 and 1..9 closer up,
// even steps when it shows a fraction of a decade.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/log_scale.h"

namespace mansard::figure {

struct Tick {
  double value = 0;
  double pixel = 0;
  bool decade = false;  // a power of ten, or any labeled tick once no power of ten is needed
  std::string label;    // empty on minor ticks
};

enum class TickLabels {
  si,       // "100 G", "10 T", "1 m"
  number,   // "0.01", "100", "10 k": ratios, which nobody reads in milli
  seconds,  // "10 us", "1 ms"
};

// Rising by value; labels are at least `label_gap_px` apart, measured between ticks.
std::vector<Tick> ticks(const LogScale& scale, TickLabels labels, double label_gap_px);

std::string tick_label(double value, TickLabels labels);

struct SiPrefix {
  double factor = 1;
  std::string_view symbol = "";
};

// The largest that is not above `magnitude`; of what is smaller than all of them the smallest, and
// none of zero.
SiPrefix si_prefix(double magnitude);

}  // namespace mansard::figure
