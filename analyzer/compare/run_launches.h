// SPDX-License-Identifier: Apache-2.0
// The launches of one run, grouped by kernel signature for a comparison.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_ranges.h"
#include "analyzer/steps/step_times.h"

namespace mansard::analysis {

// Name and class of CUDA graphs that were recorded without their kernels.
inline constexpr std::string_view kGraphs = "CUDA graphs";

// A kernel, a memcpy or memset, an annotated host range, or a graph.
struct SignatureLaunches {
  std::string name;  // full name
  std::string short_name;
  OperationClass operation_class;       // class of most of its time
  std::optional<std::size_t> row = {};  // its row with most time
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::int64_t launches = 0;
  double time_s = 0;
  std::vector<double> durations_s;       // sorted by start
  std::map<std::size_t, double> unit_s;  // by index of the unit in which it was launched
};

struct RunLaunches {
  std::vector<SignatureLaunches> signatures;  // all graphs have the same name
  // One value per unit: a typical step of a device, or the whole run.
  std::vector<double> busy_s;  // union of the intervals with work
  std::vector<double> time_s;  // step time, or span of the run
  double units = 1;
  bool by_step = false;
};

// Collects the launches in the typical steps of `devices`; without steps, those in the
// undisturbed part of the run.
RunLaunches collect_launches(const RunAnalysis& run, const std::vector<DeviceSteps>& devices);

// Like collect_launches() for a CPU-only run: its annotated ranges, in `steps` if there are any.
RunLaunches collect_host_launches(const RunAnalysis& run, const StepRanges& steps);

}  // namespace mansard::analysis
