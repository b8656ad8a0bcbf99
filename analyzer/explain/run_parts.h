// SPDX-License-Identifier: Apache-2.0
// A typical step of a run as the ledger needs it: kernels by what they are for, in seconds.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/steps/typical_step.h"

namespace mansard::analysis {

struct KernelPart {
  const KernelRow* row = nullptr;
  std::size_t index = 0;  // of the row, in RunAnalysis::rows
  double time_s = 0;      // a step, of the device's time
  double launches = 0;    // a step
  double flop = 0;        // a step; 0: not known
  // A step, of the device's work alone: that of launching shows as idle time. 0: not known.
  double sol_s = 0;
};

struct RunParts {
  double step_s = 0;
  std::size_t steps = 0;  // typical ones, of all devices
  std::string how;        // they were found
  bool whole = false;     // no steps were found: the recording counts as one
  std::vector<KernelPart> gemms;
  std::map<OperationClass, std::vector<KernelPart>> classes;  // all others, collectives apart
  std::vector<KernelPart> communication;                      // exposed, once all ranks were there
  std::vector<KernelPart> arrival;                            // exposed, waiting for the last rank
  double copies_s = 0;             // memcpys and memsets while no kernel ran
  std::vector<KernelPart> memory;  // what these are; with times that add up to copies_s
  double graphs_s = 0;             // CUDA graphs that were recorded as a whole
  std::array<double, kIdleCauses> idle_s = {};
  std::optional<double> sm_clock_hz;  // mean over the samples within the typical steps
};

// Means over the typical steps of all devices with kernels. Throws std::invalid_argument when the
// run has none, or no range of the name that its options give to steps.
RunParts run_parts(const RunAnalysis& run);

double total_s(const std::vector<KernelPart>& parts);

// What a reader knows a kernel by: its short name, and its grid where several have that name.
std::string part_label(const KernelPart& part);

}  // namespace mansard::analysis
