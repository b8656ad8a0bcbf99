// SPDX-License-Identifier: Apache-2.0
// A typical step of a run: the one definition of step time, idle time, launches per step and
// everything else that is stated per step.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "analyzer/steps/step_times.h"

namespace mansard::analysis {

// The contribution of a row to one step.
struct RowPerStep {
  double time_s = 0;      // of the device's time: what overlaps counts once, and for one row
  double arrival_s = 0;   // of it, waiting for the last rank to begin the collective
  double duration_s = 0;  // sum of its launches' durations, whatever ran beside them
  double launches = 0;
};

// Means over the typical steps of all devices: of one step on one device. The parts (kernels by
// class, communication, arrival, memory operations, graphs, idle) add up to `step_s`.
struct TypicalStep {
  double step_s = 0;
  std::map<OperationClass, double> class_s;  // kernels; collectives apart
  double kernels_s = 0;                      // sum of these
  double communication_s = 0;                // exposed, once all ranks were there
  double arrival_s = 0;                      // exposed, waiting for the last rank
  double memory_s = 0;                       // memcpys and memsets while no kernel ran
  double graphs_s = 0;                       // CUDA graphs that were recorded as a whole
  double idle_s = 0;
  std::array<double, kIdleCauses> idle_by_cause_s = {};
  double kernel_launches = 0;
  std::map<std::size_t, RowPerStep> rows;  // by index into RunAnalysis::rows

  std::size_t devices = 0;
  std::size_t typical = 0;    // steps that this is the mean of, of all devices
  std::size_t all = 0;        // steps of the profile, of all devices
  std::size_t disturbed = 0;  // of them: counters were read in them
  std::string how;            // the steps were found
  bool whole = false;         // none were found: the whole profile counts as one

  double busy_s() const { return step_s - idle_s; }
};

// Nothing where no step is typical: counters were read in all of them, or nothing ran on a device.
std::optional<TypicalStep> typical_step(const RunAnalysis& run);
TypicalStep typical_step(const RunAnalysis& run, const std::vector<DeviceSteps>& devices);

// Index of the typical step of `device` that holds `time_ns`.
std::optional<std::size_t> typical_step_at(const DeviceSteps& device, std::int64_t time_ns);

// A mean of fewer samples says little: a GPU exceeds its power limit for a tenth of a second.
inline constexpr std::size_t kLeastStateSamples = 5;

// Samples of a GPU's state within typical steps of its device, averaged. Nothing of fewer than
// kLeastStateSamples.
struct StepState {
  std::optional<double> sm_clock_hz;
  std::optional<double> power_w;  // of one GPU
};
StepState state_in_typical_steps(const store::Profile& profile,
                                 const std::vector<DeviceSteps>& devices);

}  // namespace mansard::analysis
