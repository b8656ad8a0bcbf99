// SPDX-License-Identifier: Apache-2.0
// The launches of one row on the timeline: found once on first use, then looked up by binary search
// for each window.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "gui/models/open_run.h"
#include "reports/figure/time_scale.h"

namespace mansard::gui {

// One launch, or `count` launches too narrow to be drawn separately.
struct RowMark {
  std::int64_t start_ns = 0;  // of the first
  std::int64_t end_ns = 0;    // of the last
  std::size_t count = 1;
};

class RowSlices {
 public:
  RowSlices(std::shared_ptr<const OpenRun> run, std::size_t row);

  std::size_t row() const { return row_; }
  const std::shared_ptr<const OpenRun>& run() const { return run_; }
  // Indices into LaunchColumns, by ascending start.
  const std::vector<std::uint32_t>& on(std::size_t track);
  // Marks of a track within the window of `scale`: at most two per kMergeWidth_px. Each takes one
  // binary search.
  std::vector<RowMark> marks(std::size_t track, const figure::TimeScale& scale);

 private:
  std::shared_ptr<const OpenRun> run_;
  std::size_t row_;
  bool known_ = false;
  std::map<std::size_t, std::vector<std::uint32_t>> found_;  // by track
};

}  // namespace mansard::gui
