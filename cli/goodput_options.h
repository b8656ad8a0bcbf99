// SPDX-License-Identifier: Apache-2.0
// The options of `mansard predict --goodput`, and the job that they describe.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "analyzer/goodput/goodput_inputs.h"

namespace mansard::cli {

struct GoodputOptions : analysis::GoodputInputs {
  bool enabled = false;
  std::string sync = "background";
  std::string recovery_kind = "full";
  std::string without_spare_kind = "wait";
  bool simulate = false;
  analysis::SimulationOptions simulation;
};

// The declared options belong to the group "Goodput" of the help and need --goodput.
void declare_goodput(CLI::App& app, GoodputOptions& options);

using analysis::TrainedJob;

// Throws UsageError if an option is missing or invalid.
analysis::GoodputStudy goodput_study(const GoodputOptions& options, const TrainedJob& trained);

}  // namespace mansard::cli
