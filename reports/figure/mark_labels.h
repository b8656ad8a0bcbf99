// SPDX-License-Identifier: Apache-2.0
// Names beside marks: only where they cover nothing, the largest marks first.
#pragma once

#include <span>
#include <vector>

#include "reports/figure/line_labels.h"
#include "reports/figure/marks.h"

namespace mansard::figure {

struct MarkLabel {
  std::size_t mark = 0;
  OrientedBox box;
};

// `sizes` are of the names of the first marks, one each: the marks without one go unnamed. Labels
// keep inside `plot` and clear of marks, of `labels` and of each other; one without room is left
// out. Of the places left, the one that crosses the
// fewest `lines` is taken.
std::vector<MarkLabel> place_mark_labels(std::span<const Mark> marks,
                                         std::span<const TextSize> sizes, const Rect& plot,
                                         std::span<const OrientedBox> labels,
                                         std::span<const OrientedBox> lines);

}  // namespace mansard::figure
