// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline by what they are of: a device with what was sampled of it, or a thread.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/timeline_layout.h"

namespace mansard::figure {

struct TimelineGroup {
  std::string label;            // "GPU 0", "thread 4242"
  std::int32_t device_id = -1;  // -1: a thread's
  std::vector<std::size_t> tracks;
  std::vector<std::size_t> lines;
};

// In the order of their tracks; each track and line is in one group.
std::vector<TimelineGroup> groups_of(const Timeline& timeline);

// What is not to be shown. Shorter lists mean false for the rest.
struct HiddenRows {
  std::vector<bool> closed;  // by group: its heading alone
  std::vector<bool> tracks;
  std::vector<bool> lines;
};

inline constexpr double kHeading_px = 20;

// Boxes count from the top of the first row and have no left and right. Labels leave out what the
// heading says.
TimelineRows lay_out_groups(const Timeline& timeline, const std::vector<TimelineGroup>& groups,
                            const HiddenRows& hidden);

// Rows without headings, from `top` on, between `left` and `right`. With `labels_above`, for narrow
// screens, each label has a line of its own above its rows, else it is to the left of them.
TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above, const HiddenRows& hidden);

}  // namespace mansard::figure
