// SPDX-License-Identifier: Apache-2.0
#include "gui/models/open_run.h"

#include "reports/figure/timeline.h"

namespace mansard {

std::shared_ptr<const OpenRun> prepare_run(RunAnalysis analysis) {
  auto run = std::make_shared<OpenRun>();
  run->analysis = std::move(analysis);
  run->steps = step_times(run->analysis, run->analysis.options.steps_range);
  run->timeline = timeline_of(run->analysis, run->steps);
  run->launches = launch_columns(run->analysis);
  return run;
}

}  // namespace mansard
