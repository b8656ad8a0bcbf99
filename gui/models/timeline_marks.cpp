// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline_marks.h"

#include <algorithm>

#include "gui/models/launch_slices.h"

namespace mansard::gui {

void TimelineMarks::set_run(std::shared_ptr<const OpenRun> run) {
  *this = {};
  run_ = std::move(run);
}

bool TimelineMarks::is_of_run(const SelectionModel& selection) const {
  return run_ != nullptr && !run_->timeline.empty() && selection.run() == run_;
}

void TimelineMarks::read_filter(const SelectionModel& selection) {
  if (is_of_run(selection)) filter_ = SliceFilter(*run_, selection.filter(), selection.shown());
}

void TimelineMarks::read_rows(const SelectionModel& selection) {
  const bool known = is_of_run(selection);
  const bool both = selection.hovered() == selection.selected();
  selected_ = known ? slices_of(selection.selected()) : nullptr;
  hovered_ = known && !both ? slices_of(selection.hovered()) : nullptr;
  launch_.reset();
  call_.reset();
  if (known && selection.selected_launch()) {
    launch_ = slice_of(*run_, *selection.selected_launch());
    call_ = call_of(*run_, *selection.selected_launch());
  }
}

std::shared_ptr<RowSlices> TimelineMarks::slices_of(SelectionModel::Row row) {
  if (!row || *row >= run_->analysis.rows.size()) return nullptr;
  const auto known =
      std::ranges::find(recent_, *row, [](const auto& slices) { return slices->row(); });
  if (known != recent_.end()) {
    std::rotate(recent_.begin(), known, known + 1);
  } else {
    recent_.insert(recent_.begin(), std::make_shared<RowSlices>(run_, *row));
    if (recent_.size() > kRecentRows) recent_.pop_back();
  }
  return recent_.front();
}

std::optional<std::size_t> TimelineMarks::next_launch(const SelectionModel& selection,
                                                      const figure::TimeSpan& window,
                                                      int step) const {
  if (!is_of_run(selection) || !selection.selected()) return std::nullopt;
  const LaunchColumns& launches = run_->launches;
  const auto count = static_cast<std::ptrdiff_t>(launches.size());
  std::ptrdiff_t i = 0;
  if (selection.selected_launch()) {
    i = static_cast<std::ptrdiff_t>(*selection.selected_launch()) + step;
  } else {
    const auto next =
        std::ranges::lower_bound(launches.start_ns, step > 0 ? window.start_ns : window.end_ns);
    i = next - launches.start_ns.begin() - (step > 0 ? 0 : 1);
  }
  for (; i >= 0 && i < count; i += step) {
    const auto launch = static_cast<std::size_t>(i);
    if (launches.row[launch] == *selection.selected() && filter_.passes(launch)) return launch;
  }
  return std::nullopt;
}

}  // namespace mansard::gui
