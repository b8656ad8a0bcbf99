// SPDX-License-Identifier: Apache-2.0
// What is sampled of a whole GPU: how busy its units are, and what its memories and links move.
#pragma once

#include <string>
#include <vector>

#include "collector/cupti/counters/metric_plan.h"

namespace mansard::collector {

// Nsight Compute's names. The first of each row that a chip can sample stands for the row; the most
// important rows come first, as one pass may not take all.
std::vector<std::vector<std::string>> gpu_metric_rows();

// One group of one pass: what `host` can sample together. Unavailable: the first name of each row
// that is left out. Throws std::runtime_error if there is nothing at all.
MetricPlan plan_gpu_metrics(const ProfilerHost& host);

}  // namespace mansard::collector
