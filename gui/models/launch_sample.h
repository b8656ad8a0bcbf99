// SPDX-License-Identifier: Apache-2.0
// The launches of a row for its histogram (reports/figure/launch_histogram.h).
#pragma once

#include <optional>

#include "gui/models/selection_model.h"
#include "reports/figure/launch_histogram.h"

namespace mansard::gui {

// In the order of KernelRow::launch_indices. Without durations for a first look and for rows
// without undisturbed launches. `launch` and `shown` are those of SelectionModel.
figure::LaunchSample launch_sample(const OpenRun& run, std::size_t row,
                                   SelectionModel::Launch launch, const ShownLaunches& shown);

// Index into OpenRun::launches of the row's launch number `position`; empty for memcpys and
// memsets.
SelectionModel::Launch launch_at(const OpenRun& run, std::size_t row, std::size_t position);

}  // namespace mansard::gui
