// SPDX-License-Identifier: Apache-2.0
// Measures every ceiling that this build and this machine offer and makes a machine model of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/measure.h"

namespace mansard {

struct CharacterizeOptions {
  bool host = true;
  bool cuda = true;
  std::vector<std::string> only;  // kernel names; empty: all
  std::vector<DataPattern> patterns = {DataPattern::random_normal};
  MeasureOptions measure;
  std::string command;  // provenance
};

struct Progress {
  int done = 0;  // measurements
  int total = 0;
  std::string device;
  std::string kernel;
};

struct Characterization {
  MachineModel model;
  std::vector<std::string> skipped;   // "NAME: why", kernels that do not run here
  std::vector<std::string> warnings;  // wrong results, busy or throttled GPU
};

// Throws std::runtime_error for an unknown name in `only`. A kernel that fails is left out of the
// model and named in `warnings`: the others are still worth having.
Characterization characterize(const CharacterizeOptions& options,
                              const std::function<void(const Progress&)>& progress);

}  // namespace mansard
