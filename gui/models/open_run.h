// SPDX-License-Identifier: Apache-2.0
// Everything of a file that views draw, prepared once, away from the window's thread, and never
// changed after: views share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_times.h"
#include "collector/store/load_control.h"
#include "gui/models/launch_columns.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard {

struct OpenRun {
  RunAnalysis analysis;
  std::vector<DeviceSteps> steps;
  Timeline timeline;
  LaunchColumns launches;
  // By process, the thread with the steps, whose ranges are around the work of its other threads
  // as well, as in OpenRanges. Of those that have one.
  std::map<std::int64_t, std::int64_t> stepping_threads;
};

// Whether both are of one file: the same recording, loaded again. Not of what is of no file.
bool same_recording(const OpenRun* a, const OpenRun* b);

// Throws LoadCancelled, if that is asked for.
std::shared_ptr<const OpenRun> prepare_run(RunAnalysis analysis, const LoadControl& control = {});

}  // namespace mansard
