// SPDX-License-Identifier: Apache-2.0
// Plans which metrics are read in which pass.
#pragma once

#include <string>
#include <vector>

#include "collector/cupti/counters/profiler_host.h"

namespace mansard::collector {

struct MetricGroup {
  std::vector<std::string> metrics;
  ByteImage config;
  std::size_t passes = 0;
};

struct MetricPlan {
  std::vector<MetricGroup> groups;
  std::vector<std::string> unavailable;  // metrics that this chip lacks
};

enum class Passes {
  // A group takes one pass: a kernel runs once, without save and restore of memory, and another
  // launch of it reads the next group. Only metrics that need several passes share a last group,
  // for which the kernel is replayed.
  one_each,
  // One group: one launch of a kernel is replayed for all metrics, as in Nsight Compute.
  together,
};

// The first of `wanted`, the duration, is read in every group where possible (not with instruction
// counters), so that groups can be compared. Throws std::runtime_error if the chip has none of the
// others.
MetricPlan plan_metrics(const ProfilerHost& host, const std::vector<std::string>& wanted,
                        Passes passes);

// Plans one group with as many of `wanted` as fit into one pass, in order; the others are
// unavailable. Throws std::runtime_error if the chip has none of them.
MetricPlan plan_one_pass(const ProfilerHost& host, const std::vector<std::string>& wanted);

}  // namespace mansard::collector
