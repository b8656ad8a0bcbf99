// SPDX-License-Identifier: Apache-2.0
// Simulation of a job whose replicas recover one by one while the others train on.
#pragma once

#include <cstdint>

#include "analyzer/goodput/goodput.h"
#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

// One run of a job for which others_continue(). It ends when as many samples are trained as all
// replicas see in the steps of the job. `weibull_shape`: of the times between failures of a node.
// Throws std::runtime_error after `most_failures`.
Goodput simulate_replicas(const GoodputJob& job, double weibull_shape, std::uint64_t seed,
                          double most_failures);

}  // namespace mansard::analysis
