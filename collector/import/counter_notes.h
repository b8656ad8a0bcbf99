// SPDX-License-Identifier: Apache-2.0
// Shared by importing Nsight Compute tables on their own and adding them to a profile.
#pragma once

#include <map>

#include "collector/import/import_result.h"
#include "collector/import/ncu_table.h"
#include "collector/store/tables.h"

namespace mansard::collector {

// Returns the launches of all files. Counts skipped lines in `result`, and adds notes about data
// that the analyses will lack.
std::vector<NcuLaunch> read_tables(const std::vector<std::filesystem::path>& files,
                                   ImportResult& result);

// Returns the counters without values that describe the launch or the device.
std::map<std::string, double, std::less<>> stored_values(const NcuLaunch& launch);

std::vector<store::GpuRecord> gpus_of(const std::vector<NcuLaunch>& launches);

}  // namespace mansard::collector
