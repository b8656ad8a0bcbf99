// SPDX-License-Identifier: Apache-2.0
// Which metrics are read in which run of a kernel.
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
  std::vector<std::string> unavailable;  // on this chip
};

enum class Passes {
  // A group takes one pass, so a kernel runs once, with nothing saved and restored around it, and
  // another instance of it reads the next group. Only metrics that need several passes by
  // themselves share a last group, for which the kernel is replayed.
  one_each,
  // One group: the same instance of a kernel is replayed for all metrics, as Nsight Compute does.
  together,
};

// The first of `wanted`, the duration, is read in every group that can (not with instruction
// counters), so that groups can be compared. Throws std::runtime_error if the chip has nothing else
// of it.
MetricPlan plan_metrics(const ProfilerHost& host, const std::vector<std::string>& wanted,
                        Passes passes);

// One group, of as many of `wanted` as one pass takes, the earlier ones first; the others are
// unavailable. Throws std::runtime_error if the chip has none of them.
MetricPlan plan_one_pass(const ProfilerHost& host, const std::vector<std::string>& wanted);

}  // namespace mansard::collector
