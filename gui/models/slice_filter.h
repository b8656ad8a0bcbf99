// SPDX-License-Identifier: Apache-2.0
// Tests which slices of a timeline pass a filter; cheap enough to call for each slice drawn.
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
  SliceFilter() = default;  // passes everything
  // Ignores the window of `filter`: a timeline shows only that anyway. `shown` provides the
  // launches inside a range. `run` must outlive this object.
  SliceFilter(const OpenRun& run, const ViewFilter& filter,
              std::shared_ptr<const ShownLaunches> shown);

  bool passes_all() const { return run_ == nullptr; }
  // For a single slice: whether it passes. For a block of several: whether slices of its class may
  // pass on this stream and, with a range filter, whether its first slice does.
  bool passes(std::size_t track, const figure::TimelineBlock& block) const;
  // Index into LaunchColumns. With a range filter, launches outside the window do not pass.
  bool passes(std::size_t launch) const;

 private:
  bool launch_passes(const figure::SliceRef& slice) const;

  const OpenRun* run_ = nullptr;
  ViewFilter filter_;
  std::shared_ptr<const ShownLaunches> shown_;
  bool by_row_ = false;        // the filter has words or a class
  std::vector<bool> rows_;     // rows that pass
  std::vector<bool> classes_;  // classes of the timeline with rows that pass
};

// A condition that the user can add to the filter: "Show only this stream".
struct FilterChoice {
  QString text;
  std::function<void(ViewFilter&)> apply;
};

// The choices at a position on a track. `block`: null between slices.
std::vector<FilterChoice> filters_at(const OpenRun& run, std::size_t track,
                                     const figure::TimelineBlock* block);

}  // namespace mansard::gui
