// SPDX-License-Identifier: Apache-2.0
// All data of a file that views draw. Prepared once in the background and immutable afterwards:
// views share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/answer.h"
#include "analyzer/attribution/range_stacks.h"
#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_times.h"
#include "collector/store/load_control.h"
#include "gui/models/launch_columns.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::gui {

struct OpenRun {
  analysis::RunAnalysis analysis;
  std::vector<analysis::DeviceSteps> steps;
  figure::Timeline timeline;
  LaunchColumns launches;
  analysis::LaunchRanges ranges;  // of analysis.profile; empty in a first look
  // Not in a first look, which has no launches and therefore no steps.
  std::optional<analysis::RunUnit> unit;  // of `analysis`
  std::optional<analysis::Answer> answer;
  bool is_first_look = false;
};

// Whether both were loaded from the same file. False for runs without a file.
bool same_recording(const OpenRun* a, const OpenRun* b);

// A run whose launches are not prepared yet: it has its rows, points and totals, but no launches,
// no steps, and a profile that contains only the file name.
std::shared_ptr<const OpenRun> preview(const analysis::RunAnalysis& analysis);

// Throws LoadCanceled if canceled.
std::shared_ptr<const OpenRun> prepare_run(analysis::RunAnalysis analysis,
                                           const store::LoadControl& control = {});

}  // namespace mansard::gui
