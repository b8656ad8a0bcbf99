// SPDX-License-Identifier: Apache-2.0
// A step of FP8 training on one H200, made by hand: plausible, and the same on every machine.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::testing {

roofline::MachineModel h200();

// What the kernels are made of; rows and files both come from it.
struct FixtureKernel {
  std::string name;
  std::string operation_class;
  std::optional<Precision> precision;  // of the FLOPs
  std::int64_t launches = 0;
  double launch_s = 0;
  double flop = 0;  // of one launch; 0 and no bytes: work not known
  std::map<MemoryLevel, double> bytes;
};
const std::vector<FixtureKernel>& training_kernels();

// The same kernels one after the other, each called within a range of its class that states its
// work.
store::Profile training_profile();

// With rows by falling time, as analyze_run makes them.
std::shared_ptr<analysis::RunAnalysis> training_run();

// The same run as a recording.
void write_training_run(const std::filesystem::path& file);

}  // namespace mansard::testing
