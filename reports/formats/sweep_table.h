// SPDX-License-Identifier: Apache-2.0
// Tables of bandwidth and latency vs. working set, and of collectives vs. message size.
#pragma once

#include <string>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

struct SweepKind {
  const char* id;      // id of the table
  const char* unit;    // B/s or s
  const char* column;  // key of the table's values
  const char* label;
};

inline constexpr SweepKind kBandwidthSweep = {"bandwidth_over_working_set", "B/s", "bytes_per_s",
                                              "Bandwidth"};
inline constexpr SweepKind kLatencySweep = {"latency_over_working_set", "s", "time_s", "Latency"};

// The table has no rows if nothing was measured. `suffix` is appended to its id.
analysis::Table sweep_table(const roofline::DeviceModel& device, const SweepKind& kind,
                            const std::string& suffix = "");

// Collectives over message size, and their alpha-beta models. No rows if nothing was measured.
analysis::Table collective_table(const roofline::DeviceModel& device,
                                 const std::string& suffix = "");
analysis::Table collective_fit_table(const roofline::DeviceModel& device,
                                     const std::string& suffix = "");

// The tables of all devices, with ids as in machine_finding(). No tables if nothing was measured.
analysis::Finding sweep_finding(const roofline::MachineModel& model);

}  // namespace mansard::reports
