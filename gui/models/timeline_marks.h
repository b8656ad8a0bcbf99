// SPDX-License-Identifier: Apache-2.0
// Highlighting on the timeline of a run: slices that pass the filter, the selected and hovered
// rows, and the selected launch with its API call.
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

  // Highlights nothing until the selection is read.
  void set_run(std::shared_ptr<const OpenRun> run);

  // Highlights nothing while `selection` belongs to another run: models are updated before views.
  void read_filter(const SelectionModel& selection);
  void read_rows(const SelectionModel& selection);  // selected and hovered rows

  // The next (1) or previous (-1) launch of the selected row that passes the filter, as an index
  // into LaunchColumns. Starts from the selected launch, otherwise from the window.
  std::optional<std::size_t> next_launch(const SelectionModel& selection,
                                         const figure::TimeSpan& window, int step) const;

  const SliceFilter& filter() const { return filter_; }
  // Null or empty: none. A selected row is not also hovered.
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
  std::vector<std::shared_ptr<RowSlices>> recent_;  // most recent first: the cursor often returns
  std::optional<figure::SliceRef> launch_;
  std::optional<figure::SliceRef> call_;
};

}  // namespace mansard::gui
