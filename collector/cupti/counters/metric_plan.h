// SPDX-License-Identifier: Apache-2.0
// Plans which metrics are read in which pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/cupti/counters/profiler_host.h"

namespace mansard::collector {

// A kernel's duration by the GPU's own timer.
inline constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";

enum class GroupReading {
  // The counters stay started, and a range is opened around a launch: about 1 ms each (H100). A
  // group of several passes takes as many launches of a kernel. The range includes the time before
  // and after the kernel, so only counts are valid: neither the duration nor shares of it.
  ranges,
  // CUPTI runs a launch by itself, once per pass: about 10 ms each, and exact times.
  replay,
};

struct MetricGroup {
  std::vector<std::string> metrics;
  ByteImage config;
  std::size_t passes = 0;
  GroupReading reading = GroupReading::replay;
};

struct MetricPlan {
  std::vector<MetricGroup> groups;
  std::vector<std::string> unavailable;  // metrics that this chip lacks
};

enum class Passes {
  // The metrics share a group of as many passes as they need, which are read in different launches
  // (GroupReading::ranges): a kernel never runs twice. CUPTI reads instruction counters by replay
  // only (13.0: zeros in ranges); they take one pass. For counts only, without a duration.
  of_launches,
  // A group takes one pass: a kernel runs once, without save and restore of memory, and another
  // launch of it reads the next group. Only metrics that need several passes share a last group,
  // for which the kernel is replayed.
  one_each,
  // One group: one launch of a kernel is replayed for all metrics, as in Nsight Compute.
  together,
};

// The duration, if it is the first of `wanted`, is read in every group where possible (not with
// instruction counters), so that groups can be compared. Throws std::runtime_error if the chip has
// none of the others.
MetricPlan plan_metrics(const ProfilerHost& host, const std::vector<std::string>& wanted,
                        Passes passes);

// Plans one group with as many of `wanted` as fit into one pass, in order; the others are
// unavailable. Throws std::runtime_error if the chip has none of them.
MetricPlan plan_one_pass(const ProfilerHost& host, const std::vector<std::string>& wanted);

}  // namespace mansard::collector
