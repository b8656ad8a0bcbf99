// SPDX-License-Identifier: Apache-2.0
// Everything of a file that views draw, prepared once, away from the window's thread, and never
// changed after: views share it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/attribution/launch_ranges.h"
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
  analysis::RangeStacks range_stacks;  // of analysis.profile
  bool is_first_look = false;
};

// Whether both are of one file: the same recording, loaded again. Not of what is of no file.
bool same_recording(const OpenRun* a, const OpenRun* b);

// Of a run whose launches are still to be prepared: its rows and points, and what is known of it as
// a whole; no launches, no steps, an empty profile but for its file.
std::shared_ptr<const OpenRun> first_look(const analysis::RunAnalysis& analysis);

// Throws LoadCanceled, if that is asked for.
std::shared_ptr<const OpenRun> prepare_run(analysis::RunAnalysis analysis,
                                           const store::LoadControl& control = {});

}  // namespace mansard::gui
