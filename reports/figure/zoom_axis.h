// SPDX-License-Identifier: Apache-2.0
// Ticks of a logarithmic axis for all zoom factors, in a compact form for the page: the digits with
// ticks depend only on the pixels per decade, the label format only on the decade.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/figure/ticks.h"

namespace mansard::figure {

// Ticks at `first`, `first + step`, ..., all in [1, 10).
struct TickRun {
  double first = 1;
  double step = 0;
  int count = 1;
  bool major = false;  // has a darker line
  bool labeled = false;
};

struct TickLevel {
  double from_px = 0;  // pixels per decade
  int every = 1;       // every n-th decade (by exponent) has a label at its first tick
  std::vector<TickRun> runs;
};

// The label of a tick with digits `d` in this decade is d * factor (%.6g) plus the suffix.
struct DecadeLabel {
  int exponent = 0;
  double factor = 1;
  std::string suffix;
};

struct ZoomAxis {
  bool vertical = false;
  double one_px = 0;              // position of the value 1
  double decade_px = 0;           // signed distance from 1 to 10
  double from_px = 0, to_px = 0;  // extent of grid lines across the plot
  double tick_px = 0;             // end of tick marks that start at `to_px` (`from_px` if vertical)
  double label_px = 0;            // position of labels across the axis: middle, or end if vertical
  std::uint16_t major = 0, minor = 0, tick = 0, label = 0;  // styles
  std::vector<DecadeLabel> decades;
  std::vector<TickLevel> levels;  // ascending
};

std::vector<TickLevel> tick_levels(double label_gap_px);
std::vector<DecadeLabel> decade_labels(int first, int last, TickLabels labels);

}  // namespace mansard::figure
