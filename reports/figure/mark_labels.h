// SPDX-License-Identifier: Apache-2.0
// Places names beside marks where they overlap nothing, the largest marks first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/figure/line_labels.h"
#include "reports/figure/marks.h"

namespace mansard::figure {

// The name of the kernel with the most time in the mark, and how many more are in it:
// "nvjet_sm90_t..._tnn_bz_m +2"; with its potential saving, if it is one of the largest.
std::string mark_name(const PlaneFigure& figure, const Mark& mark);

struct MarkLabel {
  std::size_t mark = 0;
  OrientedBox box;
};

// `sizes` are the sizes of the names of the first marks; the remaining marks have no name. Labels
// are inside `plot` and do not overlap marks, `labels` or each other; labels without room are
// dropped. Of the possible positions the one that crosses the fewest `lines` is used.
std::vector<MarkLabel> place_mark_labels(std::span<const Mark> marks,
                                         std::span<const TextSize> sizes, const Rect& plot,
                                         std::span<const OrientedBox> labels,
                                         std::span<const OrientedBox> lines);

}  // namespace mansard::figure
