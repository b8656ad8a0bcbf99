// SPDX-License-Identifier: Apache-2.0
// The launches of one run as two runs are compared by: one entry for each kernel signature.
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

// The name and class of CUDA graphs that were recorded as a whole.
inline constexpr std::string_view kGraphs = "CUDA graphs";

// A kernel; a memcpy or memset; an annotated range of the host; or a graph.
struct SignatureLaunches {
  std::string name;  // complete
  std::string short_name;
  OperationClass operation_class;       // that of most of its time
  std::optional<std::size_t> row = {};  // the first of its rows, which are by falling time
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::int64_t launches = 0;
  double time_s = 0;
  std::vector<double> durations_s;       // by start
  std::map<std::size_t, double> unit_s;  // of the units in which it was launched, by their numbers
};

struct RunLaunches {
  std::vector<SignatureLaunches> signatures;  // several graphs have a name in common
  // One value for each unit: a typical step of a device, or a single one of the whole run.
  std::vector<double> busy_s;  // union of what ran in it
  std::vector<double> time_s;  // of the step; of the run its span
  double units = 1;
  bool by_step = false;
};

// Collects the launches in the typical steps of `devices`; without steps, those in the
// undisturbed part of the run.
RunLaunches collect_launches(const RunAnalysis& run, const std::vector<DeviceSteps>& devices);

// The same for a run on the CPU: its annotated ranges, in `steps` if there are any.
RunLaunches collect_host_launches(const RunAnalysis& run, const StepRanges& steps);

}  // namespace mansard::analysis
