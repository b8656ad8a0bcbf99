// SPDX-License-Identifier: Apache-2.0
// What of a run passes a filter: launch by launch, and summed by row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/kernel_columns.h"
#include "collector/store/load_control.h"
#include "gui/models/open_run.h"
#include "gui/models/view_filter.h"

namespace mansard::gui {

struct ShownLaunches {
  // By row. A launch that reaches into or out of the window counts once, with its part inside.
  std::vector<std::int64_t> launches;
  std::vector<double> time_s;
  std::int64_t total_launches = 0;
  double total_s = 0;
  // By launch, of LaunchColumns; empty: all pass.
  std::vector<bool> passes;

  bool all() const { return passes.empty(); }
  bool shows(std::size_t row) const { return row < launches.size() && launches[row] > 0; }
  // Of the time that is shown.
  double share(std::size_t row) const {
    return total_s > 0 && row < time_s.size() ? time_s[row] / total_s : 0;
  }
};

// By row: whether its words and class do. Streams, ranges and times are of launches.
std::vector<bool> rows_that_pass(const analysis::RunAnalysis& run, const ViewFilter& filter);

// What the kernel catalog reads of a row: launches, time and share are of what is shown, all else
// holds for any of its launches.
analysis::KernelEntry shown_entry(const analysis::RunAnalysis& run, const ShownLaunches& shown,
                                  std::size_t row);

ShownLaunches all_launches(const analysis::RunAnalysis& run);
// Throws LoadCanceled, if that is asked for.
ShownLaunches shown_launches(const OpenRun& run, const ViewFilter& filter,
                             const store::LoadControl& control = {});

}  // namespace mansard::gui
