// SPDX-License-Identifier: Apache-2.0
// The metrics sampled for a whole GPU: utilization of its units, and traffic of its memories and
// links.
#pragma once

#include <string>
#include <vector>

#include "collector/cupti/counters/metric_plan.h"

namespace mansard::collector {

// Nsight Compute metric names. Each row lists alternatives, of which the first that the chip can
// sample is used. The most important rows come first, as one pass may not fit all.
std::vector<std::vector<std::string>> gpu_metric_rows();

// Plans one group of one pass that `host` can sample. Unavailable: the first name of each omitted
// row. Throws std::runtime_error if nothing can be sampled.
MetricPlan plan_gpu_metrics(const ProfilerHost& host);

}  // namespace mansard::collector
