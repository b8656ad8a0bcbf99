// SPDX-License-Identifier: Apache-2.0
// Where the time of the steps went: each moment of a device belongs to one kernel, to copies, to
// exposed communication, or to a cause of idling. Nothing is counted twice and nothing is left out.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/find_steps.h"
#include "analyzer/steps/idle_causes.h"

namespace mansard::analysis {

// The parts add up to `total_ns`, exactly.
struct TimeParts {
  std::int64_t total_ns = 0;
  std::map<OperationClass, std::int64_t> class_ns;  // kernels; collectives apart
  // Exposed: while nothing computed. Of recordings of several ranks in one, apart from the time in
  // which a collective waits for the last rank to begin it.
  std::int64_t communication_ns = 0;
  std::int64_t arrival_ns = 0;  // exposed, and waiting so
  std::int64_t copy_ns = 0;     // copies and fills while no kernel ran
  std::int64_t graph_ns = 0;    // CUDA graphs that were recorded as a whole
  IdleTimes idle_ns = {};
  // Not a part: time in which collectives ran, exposed or not.
  std::int64_t communicating_ns = 0;

  std::int64_t idle_total_ns() const;
  TimeParts& operator+=(const TimeParts& other);
};

// What one row of the analysis had of the typical steps.
struct RowTime {
  std::int64_t owned_ns = 0;     // of the device's time
  std::int64_t arrival_ns = 0;   // of it, waiting for the last rank to begin the collective
  std::int64_t launches = 0;     // that began in them
  std::int64_t duration_ns = 0;  // of those launches, whatever ran beside them

  RowTime& operator+=(const RowTime& other);
};

struct DeviceSteps : Steps {
  std::vector<TimeParts> parts;          // by step
  std::vector<std::size_t> typical;      // into `steps`
  std::size_t disturbed = 0;             // steps in which counters were read
  TimeParts typical_parts;               // sums over the typical steps
  TimeParts critical_parts;              // the same of the chain that made them last so long
  std::map<std::int32_t, RowTime> rows;  // the same, by index into RunAnalysis::rows

  // Of the typical steps.
  double mean_step_s() const;
  // Whether steps were found, some of them typical.
  bool has_typical() const { return origin != StepOrigin::whole && !typical.empty(); }
};

// For each device with steps, by number. A typical step is one whose time is within a tenth of the
// median's: the first ones, which load and compile, are not, nor is one with an evaluation in it.
// Steps in which counters were read count in neither; without others no step is typical. Means of
// typical steps add up as their steps do; medians would not.
//
// Computed at the first call and kept with the run.
const std::vector<DeviceSteps>& step_times(const RunAnalysis& run);

// The same, but throws std::invalid_argument when no range has the name that the run's options say
// steps have; step_times() then uses the steps that were found without it.
const std::vector<DeviceSteps>& named_step_times(const RunAnalysis& run);

bool has_typical_steps(const std::vector<DeviceSteps>& devices);

// The same for other steps than the run's.
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
