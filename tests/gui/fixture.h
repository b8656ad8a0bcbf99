// SPDX-License-Identifier: Apache-2.0
// A synthetic step of FP8 training on one H200: plausible, and identical on every machine.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::testing {

roofline::MachineModel h200();

// Description of the kernels, from which both rows and files are built.
struct FixtureKernel {
  std::string name;
  std::string operation_class;
  std::optional<Precision> precision;  // of the FLOPs
  std::int64_t launches = 0;
  double launch_s = 0;
  double flop = 0;  // of one launch; 0 without bytes: unknown work
  std::map<MemoryLevel, double> bytes;
};
const std::vector<FixtureKernel>& training_kernels();

// The kernels one after the other, each launched inside a range of its class that annotates its
// work.
store::Profile training_profile();

// With rows by descending time, as from analyze_run.
std::shared_ptr<analysis::RunAnalysis> training_run();

// The run as a profile.
void write_training_run(const std::filesystem::path& file);

}  // namespace mansard::testing
