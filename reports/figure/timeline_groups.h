// SPDX-License-Identifier: Apache-2.0
// Groups the rows of a timeline by device (with its sampled values) or thread.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/timeline_layout.h"

namespace mansard::figure {

struct TimelineGroup {
  std::string label;            // "GPU 0", "thread 4242", "rank 1, thread 4242"
  std::int32_t device_id = -1;  // -1: a thread
  std::vector<std::size_t> tracks;
  std::vector<std::size_t> lines;
};

// The groups in the order of their tracks; the threads of each process together, after the devices,
// and named with its rank or id if there are several. Each track and line is in exactly one group.
std::vector<TimelineGroup> groups_of(const Timeline& timeline);

// The hidden parts. Missing entries mean false.
struct HiddenRows {
  std::vector<bool> closed;  // by group: only its heading is shown
  std::vector<bool> tracks;
  std::vector<bool> lines;
};

inline constexpr double kHeading_px = 20;

// The rows with headings. Boxes are relative to the top of the first row, without left and right.
// Labels omit the text of the heading.
TimelineRows lay_out_groups(const Timeline& timeline, const std::vector<TimelineGroup>& groups,
                            const HiddenRows& hidden);

// Rows without headings, one below the other, for a place of their own: their labels include the
// text of the heading. `kind`, `group` and `index` of the rows are set. Boxes as for
// lay_out_groups().
TimelineRows lay_out_pinned(const Timeline& timeline, const std::vector<TimelineRow>& rows);

// Lays out rows without headings from `top`, between `left` and `right`. With `labels_above`
// (narrow screens) each label has its own line above its rows, else it is left of them.
TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above, const HiddenRows& hidden);

}  // namespace mansard::figure
