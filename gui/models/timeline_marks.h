// SPDX-License-Identifier: Apache-2.0
// What stands out on the timeline of a run: its slices that pass the filter, the selected and the
// hovered row, and the selected launch with the API call that launched it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gui/models/row_slices.h"
#include "gui/models/selection_model.h"
#include "gui/models/slice_filter.h"
#include "reports/figure/timeline_summary.h"

namespace mansard::gui {

class TimelineMarks {
 public:
  static constexpr std::size_t kRecentRows = 6;

  // Nothing stands out, until the selection is read.
  void set_run(std::shared_ptr<const OpenRun> run);

  // Nothing, while `selection` is of another run: models hear of one earlier than views.
  void read_filter(const SelectionModel& selection);
  void read_rows(const SelectionModel& selection);  // selected and hovered

  // The next (1) or previous (-1) launch of the selected row that passes the filter, from the
  // selected launch, else from the window, into LaunchColumns.
  std::optional<std::size_t> next_launch(const SelectionModel& selection,
                                         const figure::TimeSpan& window, int step) const;

  const SliceFilter& filter() const { return filter_; }
  // Null and none: nothing. A row that is selected is not hovered as well.
  RowSlices* selected() const { return selected_.get(); }
  RowSlices* hovered() const { return hovered_.get(); }
  const std::optional<figure::SliceRef>& launch() const { return launch_; }
  const std::optional<figure::SliceRef>& call() const { return call_; }

 private:
  bool is_of_run(const SelectionModel& selection) const;
  std::shared_ptr<RowSlices> slices_of(SelectionModel::Row row);

  std::shared_ptr<const OpenRun> run_;
  SliceFilter filter_;
  std::shared_ptr<RowSlices> selected_;
  std::shared_ptr<RowSlices> hovered_;
  std::vector<std::shared_ptr<RowSlices>> recent_;  // the last one first: the cursor comes back
  std::optional<figure::SliceRef> launch_;
  std::optional<figure::SliceRef> call_;
};

}  // namespace mansard::gui
