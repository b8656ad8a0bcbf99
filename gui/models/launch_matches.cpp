// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_matches.h"

#include <algorithm>

namespace mansard::gui {

std::optional<MatchPosition> match_position(const SelectionModel& selection) {
  const ShownLaunches& shown = *selection.shown();
  if (shown.all()) return std::nullopt;
  MatchPosition position;
  position.count = static_cast<std::size_t>(std::ranges::count(shown.passes, true));
  const SelectionModel::Launch launch = selection.selected_launch();
  if (launch && *launch < shown.passes.size() && shown.passes[*launch]) {
    const auto end = shown.passes.begin() + static_cast<std::ptrdiff_t>(*launch) + 1;
    position.number = static_cast<std::size_t>(std::count(shown.passes.begin(), end, true));
  }
  return position;
}

std::optional<std::size_t> next_match(const SelectionModel& selection,
                                      const figure::TimeSpan& visible, int step) {
  const ShownLaunches& shown = *selection.shown();
  if (!selection.run() || shown.all()) return std::nullopt;
  const std::vector<std::int64_t>& starts = selection.run()->launches.start_ns;
  const auto count = static_cast<std::ptrdiff_t>(std::min(shown.passes.size(), starts.size()));
  std::ptrdiff_t from = 0;  // the first launch to look at
  if (const SelectionModel::Launch launch = selection.selected_launch()) {
    from = static_cast<std::ptrdiff_t>(*launch) + step;
  } else {
    const auto next =
        std::ranges::lower_bound(starts, step > 0 ? visible.start_ns : visible.end_ns);
    from = next - starts.begin() - (step > 0 ? 0 : 1);
  }
  for (std::ptrdiff_t looked_at = 0; looked_at < count; ++looked_at) {
    const std::ptrdiff_t i = ((from + step * looked_at) % count + count) % count;
    if (shown.passes[static_cast<std::size_t>(i)]) return static_cast<std::size_t>(i);
  }
  return std::nullopt;
}

}  // namespace mansard::gui
