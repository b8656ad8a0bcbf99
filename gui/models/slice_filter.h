// SPDX-License-Identifier: Apache-2.0
// Which boxes of a timeline pass a filter: a test cheap enough to be asked of each box drawn.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gui/models/shown_launches.h"
#include "reports/figure/timeline.h"
#include "reports/figure/timeline_summary.h"

namespace mansard::gui {

class SliceFilter {
 public:
  SliceFilter() = default;  // everything
  // The window of `filter` does not count: a timeline shows nothing else anyway. `shown` says which
  // launches are in a range. `run` must live as long as this.
  SliceFilter(const OpenRun& run, const ViewFilter& filter,
              std::shared_ptr<const ShownLaunches> shown);

  bool passes_all() const { return run_ == nullptr; }
  // A slice by itself. Of a block of several: whether slices of its class may pass on this stream
  // and, where the filter names a range, whether its first one does.
  bool passes(std::size_t track, const figure::TimelineBlock& block) const;
  // Into LaunchColumns. Where the filter names a range, none outside its window passes.
  bool passes(std::size_t launch) const;

 private:
  bool launch_passes(const figure::SliceRef& slice) const;

  const OpenRun* run_ = nullptr;
  ViewFilter filter_;
  std::shared_ptr<const ShownLaunches> shown_;
  bool by_row_ = false;        // words or a class are filtered by
  std::vector<bool> rows_;     // that pass
  std::vector<bool> classes_;  // of the timeline, with rows that pass
};

// A condition that a user may add to the filter: "Only this stream".
struct FilterChoice {
  QString text;
  std::function<void(ViewFilter&)> apply;
};

// Those that a place on a track has. `block`: null where nothing is.
std::vector<FilterChoice> filters_at(const OpenRun& run, std::size_t track,
                                     const figure::TimelineBlock* block);

}  // namespace mansard::gui
