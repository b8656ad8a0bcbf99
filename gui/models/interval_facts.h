// SPDX-License-Identifier: Apache-2.0
// The statistics line of a selected time interval.
#pragma once

#include <QString>

#include "gui/models/shown_launches.h"
#include "reports/figure/timeline_summary.h"

namespace mansard::gui {

inline constexpr std::size_t kIntervalKernels = 3;  // kernels named in the line

// "12.3 ms selected: busy 11.4 ms (93 %), 1,234 kernels, memcpys and memsets start". The busy time
// is a sum over devices.
QString interval_text(const figure::WindowSummary& summary);

// "Most time: my_gemm 4.10 ms (33 %), ...": the shown rows with the most time, with their share of
// the shown time. Empty if nothing is shown.
QString longest_kernels_text(const analysis::RunAnalysis& run, const ShownLaunches& shown);

}  // namespace mansard::gui
