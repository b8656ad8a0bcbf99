// SPDX-License-Identifier: Apache-2.0
#include "gui/models/row_slices.h"

#include <algorithm>
#include <cmath>

#include "gui/models/launch_slices.h"
#include "reports/figure/timeline.h"

namespace mansard::gui {

RowSlices::RowSlices(std::shared_ptr<const OpenRun> run, std::size_t row)
    : run_(std::move(run)), row_(row) {}

const std::vector<std::uint32_t>& RowSlices::on(std::size_t track) {
  if (!known_) found_ = launches_by_track(*run_, row_);
  known_ = true;
  return found_[track];
}

std::vector<RowMark> RowSlices::marks(std::size_t track, const figure::TimeScale& scale) {
  const std::vector<std::uint32_t>& list = on(track);
  const auto start_of = [this](std::uint32_t launch) { return run_->launches.start_ns[launch]; };
  const auto end_of = [this](std::uint32_t launch) { return run_->launches.end_ns[launch]; };
  // Cells start at the time limits, as for merged slices, so that panning changes no mark.
  const std::int64_t origin_ns = scale.limits().start_ns;
  const double cell_ns = figure::kMergeWidth_px * scale.ns_per_px();
  const auto cell_end_ns = [&](std::int64_t time_ns) {
    const double cell = std::floor(figure::difference_ns(time_ns, origin_ns) / cell_ns) + 1;
    return std::max(time_ns + 1, origin_ns + static_cast<std::int64_t>(std::ceil(cell * cell_ns)));
  };
  std::vector<RowMark> marks;
  // Launches of one track do not overlap, so their ends are ascending too.
  auto at = std::ranges::lower_bound(list, scale.start_ns(), {}, end_of);
  while (at != list.end() && start_of(*at) <= scale.end_ns()) {
    RowMark mark{start_of(*at), end_of(*at), 1};
    auto next = at + 1;
    if (figure::difference_ns(mark.end_ns, mark.start_ns) < cell_ns) {
      next = std::ranges::lower_bound(next, list.end(), cell_end_ns(mark.start_ns), {}, start_of);
      // A wide launch extends beyond the cell, so it must be the last one.
      const auto last = next - 1;
      if (last != at && figure::difference_ns(end_of(*last), start_of(*last)) >= cell_ns)
        next = last;
      mark.end_ns = end_of(*(next - 1));
      mark.count = static_cast<std::size_t>(next - at);
    }
    marks.push_back(mark);
    at = next;
  }
  return marks;
}

}  // namespace mansard::gui
