// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_style.h"

#include <algorithm>
#include <array>

#include "reports/figure/palette.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

SliceStyle slice_style(analysis::OperationClass slice_class) {
  static constexpr std::array kLines = {0.25, 0.75, 0.12, 0.88};
  static const analysis::OperationClass kCopy = "copy";
  SliceStyle style{slice_class, {}};
  std::size_t rank = rank_in_colour(slice_class);
  // After the three classes of kernels of this colour.
  if (slice_class == analysis::kMemcpyClass || slice_class == analysis::kMemsetClass) {
    style.colour_class = kCopy;
    rank = slice_class == analysis::kMemcpyClass ? 3 : 4;
  }
  if (slice_class == kGraphClass) rank = 1;  // after the kernels that nobody knows
  style.lines = std::span(kLines).first(std::min(rank, kLines.size()));
  return style;
}

}  // namespace mansard::figure
