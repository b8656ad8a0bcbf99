// SPDX-License-Identifier: Apache-2.0
// A typical step of a run: the definition of step time, idle time, launches per step and all other
// values per step.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "analyzer/steps/step_times.h"

namespace mansard::analysis {

// The contribution of a row to one step.
struct RowPerStep {
  double time_s = 0;          // device time; overlapping time counts once, for one row
  double rank_wait_s = 0;     // part of time_s: waiting for the last rank of a collective
  double replica_sync_s = 0;  // part of time_s: exposed synchronization of replicas
  double duration_s = 0;      // total duration of its launches, overlapping or not
  double launches = 0;
  double replica_sync_launches = 0;  // part of `launches`
};

// Means over the typical steps of all devices, per step and device. The parts (kernels by class,
// communication, rank_wait, replica_sync, memcpy and memset, graphs, idle) add up to `step_s`.
struct TypicalStep {
  double step_s = 0;
  std::map<OperationClass, double> class_s;  // kernels without collectives
  double kernels_s = 0;                      // sum of these
  double communication_s = 0;                // exposed, after all ranks have started
  double rank_wait_s = 0;                    // exposed, waiting for the last rank
  double replica_sync_s = 0;                 // exposed synchronization of replicas
  double hidden_replica_sync_s = 0;          // hidden; not a part of the step
  double memory_s = 0;                       // memcpys and memsets while no kernel ran
  double graphs_s = 0;                       // CUDA graphs that were recorded as a whole
  double idle_s = 0;
  std::array<double, kIdleCauses> idle_by_cause_s = {};
  double kernel_launches = 0;
  std::map<std::size_t, RowPerStep> rows;  // by index into RunAnalysis::rows

  std::size_t devices = 0;
  std::size_t typical = 0;    // number of typical steps, all devices
  std::size_t all = 0;        // number of steps of the profile, all devices
  std::size_t disturbed = 0;  // number of steps in which counters were read
  std::string how;            // how the steps were found
  bool whole = false;         // no steps were found: the whole profile counts as one

  double busy_s() const { return step_s - idle_s; }
};

// Empty if no step is typical: counters were read in all of them, or nothing ran on a device.
std::optional<TypicalStep> typical_step(const RunAnalysis& run);
TypicalStep typical_step(const RunAnalysis& run, const std::vector<DeviceSteps>& devices);

// Index of the typical step of `device` that contains `time_ns`.
std::optional<std::size_t> typical_step_at(const DeviceSteps& device, std::int64_t time_ns);

// Minimum number of samples for a mean, as a GPU can exceed its power limit for 0.1 s.
inline constexpr std::size_t kMinStateSamples = 5;

// Mean GPU state within the typical steps of its device. Empty for fewer than kMinStateSamples
// samples.
struct StepState {
  std::optional<double> sm_clock_hz;
  std::optional<double> power_w;  // of one GPU
};
StepState state_in_typical_steps(const store::Profile& profile,
                                 const std::vector<DeviceSteps>& devices);

}  // namespace mansard::analysis
