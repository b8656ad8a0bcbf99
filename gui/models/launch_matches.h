// SPDX-License-Identifier: Apache-2.0
// Steps through the launches that pass the filter, in order of their start.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/models/selection_model.h"

namespace mansard::gui {

// "3 of 45"
struct MatchPosition {
  std::size_t number = 0;  // from 1; 0: the selected launch is none of them
  std::size_t count = 0;
};

// Empty without a filter, when every launch is shown.
std::optional<MatchPosition> match_position(const SelectionModel& selection);

// The match after (1) or before (-1) the selected launch, otherwise the first one from `visible` on
// or the last one before its end; wraps around. An index into LaunchColumns; empty: no match.
std::optional<std::size_t> next_match(const SelectionModel& selection,
                                      const figure::TimeSpan& visible, int step);

}  // namespace mansard::gui
