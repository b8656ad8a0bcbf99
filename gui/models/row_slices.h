// SPDX-License-Identifier: Apache-2.0
// The launches of one row of a run, where they are on its timeline: looked for once, when they are
// first asked for, and drawn by searching for the window in them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "gui/models/open_run.h"
#include "reports/figure/time_scale.h"

namespace mansard::gui {

// One launch, or `count` that are too narrow to be told apart.
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
  // Of LaunchColumns, by rising start.
  const std::vector<std::uint32_t>& on(std::size_t track);
  // What of a track is in the window of `scale`: at most two marks to every kMergeWidth_px, each of
  // which costs a search.
  std::vector<RowMark> marks(std::size_t track, const figure::TimeScale& scale);

 private:
  std::shared_ptr<const OpenRun> run_;
  std::size_t row_;
  bool known_ = false;
  std::map<std::size_t, std::vector<std::uint32_t>> found_;  // by track
};

}  // namespace mansard::gui
