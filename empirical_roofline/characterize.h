// SPDX-License-Identifier: Apache-2.0
// Measures all ceilings that this build can measure on this machine, and returns a machine model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "empirical_roofline/journal.h"
#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/plan.h"

namespace mansard::roofline {

struct CharacterizeOptions {
  bool host = true;
  bool cuda = true;
  PlanOptions plan;
  std::string command;         // provenance
  Journal* journal = nullptr;  // stores finished campaigns, and may already contain some
};

struct Progress {
  int done = 0;  // campaigns, summed over the steps of the plan
  int total = 0;
  double left_s = -1;  // negative: no estimate yet
  std::string device;
  std::string kernel;
};

struct Characterization {
  MachineModel model;
  std::vector<std::string> skipped;   // "NAME: reason" for kernels that do not run here
  std::vector<std::string> warnings;  // wrong results, a busy or throttled GPU
};

// Throws std::runtime_error for an unknown name in the plan. Exceptions from `progress` pass
// through, so a caller can use them to cancel. A kernel that fails is left out of the model and
// named in `warnings`.
Characterization characterize(const CharacterizeOptions& options,
                              const std::function<void(const Progress&)>& progress);

// Returns the settings that two runs must share for their results to be combined; see Journal.
std::string settings_of(const CharacterizeOptions& options);

}  // namespace mansard::roofline
