// SPDX-License-Identifier: Apache-2.0
// A machine model as tables: what `mansard characterize` prints and the page shows.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard {

// Per device one table each of compute, bandwidth and overhead ceilings, as far as it has any;
// their ids are "compute", "bandwidth" and "overhead", from the second device on followed by
// "_2"...
Finding machine_finding(const MachineModel& model);

// The tables of one device; `suffix` is appended to their ids.
std::vector<Table> ceiling_tables(const DeviceModel& device, Origin origin,
                                  const std::string& suffix = "");

// The ceilings behind the rows of one of those tables, in their order.
std::vector<const Ceiling*> ceilings_behind(const Table& table, const DeviceModel& device);

// "measured on dgx-04, 2025-11-04, driver 580.95.05, CUDA 13.0", or a datasheet's publication.
std::string describe(const Provenance& provenance);

// "132 SMs, boost 1.98 GHz, 150 GB, L2 60 MiB", as far as known.
std::string describe(const DeviceInfo& device);

}  // namespace mansard
