// SPDX-License-Identifier: Apache-2.0
// Speed-of-light (SOL) time: the shortest possible time of some work on a machine, and its bound.
//   T_sol = max( max_u sum_p F_p / P_p , max_l B_l / BW_l , launches * t_launch )
// F_p, P_p: FLOPs and ceiling of precision p; B_l, BW_l: bytes and bandwidth of memory tier l; u:
// units that compute at the same time. On a GPU these are the tensor cores, the FP32 and the FP64
// units of the CUDA cores; on a CPU all precisions share the vector units.
// Source: "Hierarchical Roofline" (arXiv 2009.05257) and "Time-Based Roofline" (arXiv 2009.04598).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::analysis {

struct WorkTotals {
  std::map<Precision, double> flop;
  std::map<MemoryLevel, double> bytes;
  std::int64_t launches = 0;  // device kernel launches; 0 for host work
  double total_flop() const;
};

enum class Bound { unknown, compute, bandwidth, launch };
std::string_view to_string(Bound bound);

struct SpeedOfLight {
  double time_s = 0;  // T_sol; 0: unknown
  Bound bound = Bound::unknown;
  std::string ceiling;      // id of the ceiling with the longest term ("launch" for launches)
  std::string bound_label;  // "HBM", "BF16", "launch"
  double compute_s = 0;     // of the busiest unit
  std::map<MemoryLevel, double> bandwidth_s;
  double launch_s = 0;
  // Work for which the machine model has no ceiling: T_sol does not include these terms and may be
  // too low.
  std::vector<std::string> missing_ceilings;
};

// `link_ceiling`: id of the ceiling for bytes over a link in one direction; used if the machine has
// it.
SpeedOfLight speed_of_light(const WorkTotals& work, const roofline::DeviceModel& machine,
                            std::string_view link_ceiling = "");

}  // namespace mansard::analysis
