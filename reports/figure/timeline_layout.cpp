// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_layout.h"

namespace mansard::figure {
void find_visible(TimelineRow& row, const Timeline& timeline, const TimeScale& scale,
                  const Rect& plot) {
  if (row.kind == RowKind::track) {
    row.blocks = visible_blocks(timeline.tracks[row.index].slices, scale, plot);
  }
  if (row.kind == RowKind::line) row.columns = visible_columns(timeline.lines[row.index], scale);
}

}  // namespace mansard::figure
