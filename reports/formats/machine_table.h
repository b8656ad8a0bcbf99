// SPDX-License-Identifier: Apache-2.0
// A machine model as tables: what `mansard characterize` prints and the page shows.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::reports {

// Per device one table each of compute, bandwidth and overhead ceilings, as far as it has any;
// their ids are "compute", "bandwidth" and "overhead", from the second device on followed by
// "_2"...
analysis::Finding machine_finding(const roofline::MachineModel& model);

// The tables of one device; `suffix` is appended to their ids.
std::vector<analysis::Table> ceiling_tables(const roofline::DeviceModel& device,
                                            roofline::Origin origin,
                                            const std::string& suffix = "");

// The ceilings behind the rows of one of those tables, in their order.
std::vector<const roofline::Ceiling*> ceilings_behind(const analysis::Table& table,
                                                      const roofline::DeviceModel& device);

// "measured on dgx-04, 2025-11-04, driver 580.95.05, CUDA 13.0", or a datasheet's publication.
std::string describe(const roofline::Provenance& provenance);

// "132 SMs, boost 1.98 GHz, 150 GB, L2 60 MiB", as far as known.
std::string describe(const kernels::DeviceInfo& device);

}  // namespace mansard::reports
