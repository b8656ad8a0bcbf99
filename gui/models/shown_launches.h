// SPDX-License-Identifier: Apache-2.0
// The launches of a run that pass a filter, and their sums per row.
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
  // By row. A launch that crosses the window's edge counts as one launch, with the part of its time
  // inside.
  std::vector<std::int64_t> launches;
  std::vector<double> time_s;
  std::int64_t total_launches = 0;
  double total_s = 0;
  // By launch of LaunchColumns; empty: all pass.
  std::vector<bool> passes;

  bool all() const { return passes.empty(); }
  bool shows(std::size_t row) const { return row < launches.size() && launches[row] > 0; }
  // Share of the shown time.
  double share(std::size_t row) const {
    return total_s > 0 && row < time_s.size() ? time_s[row] / total_s : 0;
  }
};

// By row: whether its words and class pass. Streams, ranges and times are filtered by launch.
std::vector<bool> rows_that_pass(const analysis::RunAnalysis& run, const ViewFilter& filter);

// Input of the kernel catalog's columns for a row: launches, time and share cover the shown
// launches, all other values hold for any launch of the row.
analysis::KernelEntry shown_entry(const analysis::RunAnalysis& run, const ShownLaunches& shown,
                                  std::size_t row);

ShownLaunches all_launches(const analysis::RunAnalysis& run);
// Throws LoadCanceled if canceled.
ShownLaunches shown_launches(const OpenRun& run, const ViewFilter& filter,
                             const store::LoadControl& control = {});

}  // namespace mansard::gui
