// SPDX-License-Identifier: Apache-2.0
// Discrete-event simulation of a job: the model of expected_goodput.h, but with the failure times
// of single nodes, spare nodes that are in repair one by one, and any spread of failures.
//
// A queue holds the next failure of each node; the simulation jumps from event to event (failure,
// repair, checkpoint, end of a phase of recovery). Its cost is O(nodes + (checkpoints + failures) x
// log nodes), independent of the number of steps.
#pragma once

#include <cstdint>

#include "analyzer/goodput/goodput.h"
#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

struct SimulationOptions {
  std::uint64_t seed = 1;  // same seed, same result
  int replications = 100;
  // Shape of the Weibull distribution of a node's time between failures, whose mean is node_mtbf_s.
  // 1: exponential. Below 1 failures cluster: a node that was just replaced fails sooner. Nodes
  // have been in service for long when the job starts, so the mean number of failures does not
  // depend on the shape.
  double weibull_shape = 1;
};

struct SimulatedGoodput {
  int replications = 0;
  Goodput mean;  // the mean of each part, so that they add up to the mean wall time
  // Half widths of the 95 % confidence intervals of means (Student's t).
  double wall_error_s = 0;
  double fraction_error = 0;
  double failures_error = 0;
  double lost_samples_error = 0;
  std::array<double, kGoodputParts> part_errors_s = {};
  // The middle 90 % of single runs.
  double fraction_low = 0;
  double fraction_high = 0;
};

// Throws std::runtime_error if the job is invalid or makes no progress (expected_goodput), if an
// option is out of range, or if the simulation would need more than about a minute.
SimulatedGoodput simulate_goodput(const GoodputJob& job, const SimulationOptions& options);

}  // namespace mansard::analysis
