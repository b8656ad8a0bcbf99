// SPDX-License-Identifier: Apache-2.0
// The ticks of a logarithmic axis at every zoom factor, in a form that is small in a page: which
// digits of a decade have ticks depends on the pixels per decade alone, and how a label is written
// on the decade alone.
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
  bool major = false;  // its line is the darker one
  bool labeled = false;
};

struct TickLevel {
  double from_px = 0;  // pixels per decade
  int every = 1;       // of decades, by exponent, the first tick has a label
  std::vector<TickRun> runs;
};

// A tick of digits `d` in this decade is labeled d * factor, as %.6g, then the suffix.
struct DecadeLabel {
  int exponent = 0;
  double factor = 1;
  std::string suffix;
};

struct ZoomAxis {
  bool vertical = false;
  double one_px = 0;              // where 1 lies, with its sign of direction:
  double decade_px = 0;           // pixels from 1 to 10
  double from_px = 0, to_px = 0;  // lines of the grid reach across the plot from here to there
  double tick_px = 0;             // and strokes beside labels from `to_px` (`from_px` if vertical)
  double label_px = 0;  // where labels stand across: their middle, or their end if vertical
  std::uint16_t major = 0, minor = 0, tick = 0, label = 0;  // styles
  std::vector<DecadeLabel> decades;
  std::vector<TickLevel> levels;  // rising
};

std::vector<TickLevel> tick_levels(double label_gap_px);
std::vector<DecadeLabel> decade_labels(int first, int last, TickLabels labels);

}  // namespace mansard::figure
