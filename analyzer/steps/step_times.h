// SPDX-License-Identifier: Apache-2.0
// Breakdown of step time: all time of a device is assigned to a kernel, to memcpy and memset, to
// exposed communication, to exposed synchronization of replicas, or to a cause of idle time,
// without gaps or double counting.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/find_steps.h"
#include "analyzer/steps/idle_causes.h"

namespace mansard::analysis {

// The parts add up to `total_ns` exactly.
struct TimeParts {
  std::int64_t total_ns = 0;
  std::map<OperationClass, std::int64_t> class_ns;  // kernels without collectives
  // Exposed communication, by collectives or copies between GPUs: no kernel computes. In merged
  // profiles of several ranks, without arrival_ns.
  std::int64_t communication_ns = 0;
  std::int64_t arrival_ns = 0;  // exposed; the last rank has not started the collective yet
  std::int64_t copy_ns = 0;     // other memcpys, and memsets, while no kernel ran
  std::int64_t graph_ns = 0;    // CUDA graphs that were recorded as a whole
  // Exposed synchronization of replicas: the step waits for it (ReplicaSyncTimes::waits()).
  std::int64_t replica_sync_ns = 0;
  IdleTimes idle_ns = {};
  // Not a part: time of communication, exposed or not.
  std::int64_t communicating_ns = 0;
  // Likewise, for synchronization of replicas: its ranges and device work.
  std::int64_t replica_syncing_ns = 0;

  std::int64_t idle_total_ns() const;
  TimeParts& operator+=(const TimeParts& other);
};

// Time and launches of a row in the typical steps.
struct RowTime {
  std::int64_t owned_ns = 0;    // device time assigned to the row; overlapping time counts once
  std::int64_t arrival_ns = 0;  // part of owned_ns: waiting for the last rank of a collective
  std::int64_t replica_sync_ns = 0;        // part of owned_ns: exposed synchronization of replicas
  std::int64_t launches = 0;               // launches that started in the steps
  std::int64_t replica_sync_launches = 0;  // part of `launches`
  std::int64_t duration_ns = 0;            // total duration of those launches, overlapping or not

  RowTime& operator+=(const RowTime& other);
};

struct DeviceSteps : Steps {
  std::vector<TimeParts> parts;          // by step
  std::vector<std::size_t> typical;      // indices into `steps`
  std::size_t disturbed = 0;             // steps in which counters were read
  TimeParts typical_parts;               // sums over the typical steps
  TimeParts critical_parts;              // likewise, on the critical path only
  std::map<std::int32_t, RowTime> rows;  // likewise, by index into RunAnalysis::rows

  // Mean time of the typical steps.
  double mean_step_s() const;
  // Whether steps were found and some of them are typical.
  bool has_typical() const { return origin != StepOrigin::whole && !typical.empty(); }
};

// One element per device with steps, by device number. A typical step takes within 10 % of the
// median step time, which excludes warm-up steps (loading, compiling) and steps with an evaluation.
// Steps in which counters were read are ignored; without others no step is typical. Means of the
// parts of typical steps add up to the mean step time; medians would not.
//
// Computed at the first call and cached in the run.
const std::vector<DeviceSteps>& step_times(const RunAnalysis& run);

// Like step_times(), but throws std::invalid_argument if no range name starts with
// AnalysisOptions::step_range; step_times() then uses the steps that were found without it.
const std::vector<DeviceSteps>& named_step_times(const RunAnalysis& run);

bool has_typical_steps(const std::vector<DeviceSteps>& devices);

// Like step_times(run), for the steps `found`.
std::vector<DeviceSteps> step_times(const RunAnalysis& run, const std::vector<Steps>& found);

// The cache of step_times().
class StepTimesMemo {
 public:
  const std::vector<DeviceSteps>& get(const RunAnalysis& run);

 private:
  std::once_flag once_;
  std::vector<DeviceSteps> devices_;
};

}  // namespace mansard::analysis
