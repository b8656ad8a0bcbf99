// SPDX-License-Identifier: Apache-2.0
// A machine model as tables, for the output of `mansard characterize` and for the page.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::reports {

// For each device up to one table each of compute, bandwidth, latency and overhead ceilings. Their
// ids are "compute", "bandwidth", ...; further devices have the suffix "_2" etc.
analysis::Finding machine_finding(const roofline::MachineModel& model);

// The tables of one device; `suffix` is appended to their ids.
std::vector<analysis::Table> ceiling_tables(const roofline::DeviceModel& device,
                                            roofline::Origin origin,
                                            const std::string& suffix = "");

// The ceilings of the rows of such a table, in the same order.
std::vector<const roofline::Ceiling*> ceilings_behind(const analysis::Table& table,
                                                      const roofline::DeviceModel& device);

// "measured on dgx-04, 2025-11-04, driver 580.95.05, CUDA 13.0", or the source of published
// figures.
std::string describe(const roofline::Provenance& provenance);

// "132 SMs, boost 1.98 GHz, 150 GB, L2 60 MiB", without unknown values.
std::string describe(const kernels::DeviceInfo& device);

}  // namespace mansard::reports
