// SPDX-License-Identifier: Apache-2.0
// Measures every ceiling that this build and this machine offer and makes a machine model of them.
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
  Journal* journal = nullptr;  // keeps what is finished, and may already hold some of it
};

struct Progress {
  int done = 0;  // campaigns of steps
  int total = 0;
  double left_s = -1;  // negative: no estimate yet
  std::string device;
  std::string kernel;
};

struct Characterization {
  MachineModel model;
  std::vector<std::string> skipped;   // "NAME: why", kernels that do not run here
  std::vector<std::string> warnings;  // wrong results, busy or throttled GPU
};

// Throws std::runtime_error for an unknown name in the plan, and what `progress` throws: that is
// how a caller stops it. A kernel that fails is left out of the model and named in `warnings`: the
// others are still worth having.
Characterization characterize(const CharacterizeOptions& options,
                              const std::function<void(const Progress&)>& progress);

// What must be equal for results of two runs to go into one model; for Journal.
std::string settings_of(const CharacterizeOptions& options);

}  // namespace mansard::roofline
