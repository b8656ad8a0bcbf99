// SPDX-License-Identifier: Apache-2.0
#include "analyzer/mean_launch.h"

#include <algorithm>

namespace mansard::analysis {
namespace {

// A kernel shorter than a launch is launch-bound, whatever it computes.
std::string_view region_of(const MeanLaunch& launch) {
  const double longer_s = std::max(launch.compute_s, launch.bandwidth_s);
  if (!(longer_s > 0)) return "";
  if (std::max(longer_s, launch.time_s) < launch.launch_s) return "overhead";
  return launch.compute_s >= launch.bandwidth_s ? "compute" : "bandwidth";
}

}  // namespace

MeanLaunch mean_launch(const KernelRow& row) {
  const auto launches = static_cast<double>(row.launches);
  MeanLaunch launch;
  launch.flop = row.work.total_flop() / launches;
  for (const auto& [level, time_s] : row.sol.bandwidth_s) {
    if (time_s / launches <= launch.bandwidth_s) continue;
    launch.tier = level;
    launch.bandwidth_s = time_s / launches;
  }
  if (launch.tier) launch.bytes = row.work.bytes.at(*launch.tier) / launches;
  launch.compute_s = row.sol.compute_s / launches;
  launch.launch_s = row.sol.launch_s / launches;
  launch.time_s = row.time_s / launches;
  launch.region = region_of(launch);
  if (const double longer_s = std::max(launch.compute_s, launch.bandwidth_s); longer_s > 0) {
    launch.measured_compute_s = launch.time_s * launch.compute_s / longer_s;
    launch.measured_bandwidth_s = launch.time_s * launch.bandwidth_s / longer_s;
  }
  return launch;
}

}  // namespace mansard::analysis
