// SPDX-License-Identifier: Apache-2.0
// What importing Nsight Compute's tables alone, and joining them to a recording, have in common.
#pragma once

#include <map>

#include "collector/import/import_result.h"
#include "collector/import/ncu_table.h"
#include "collector/store/tables.h"

namespace mansard::collector {

// The launches of all files. Counts in `result` what was skipped, and notes what the analyses will
// lack.
std::vector<NcuLaunch> read_tables(const std::vector<std::filesystem::path>& files,
                                   ImportResult& result);

// Counters, without what describes the launch or the device.
std::map<std::string, double, std::less<>> stored_values(const NcuLaunch& launch);

std::vector<store::GpuRecord> gpus_of(const std::vector<NcuLaunch>& launches);

}  // namespace mansard::collector
