// SPDX-License-Identifier: Apache-2.0
// Inputs of a goodput study that a profile, or the profiles of a job, have.
#pragma once

#include "analyzer/goodput/goodput_inputs.h"
#include "gui/models/open_job.h"
#include "gui/models/open_run.h"

namespace mansard::gui {

// The step of the first device with typical steps; without any, a step is assumed. `ranks`: of the
// job to which the profile belongs; 0: unknown, and one node is assumed.
analysis::TrainedJob trained_job(const OpenRun& run, int ranks);
// The median step of the ranks.
analysis::TrainedJob trained_job(const OpenJob& job);

}  // namespace mansard::gui
