// SPDX-License-Identifier: Apache-2.0
// The rows of an analysis, before their SOL times are set.
#pragma once

#include "analyzer/launch_work.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// One row for each kernel signature (name, grid, block, shared memory) and kind of work (class,
// precision, amounts), so that every value of a row applies to all of its launches. Annotations
// take precedence over counters. Launches in `disturbed` time are excluded from the row's values,
// unless `all_disturbed` (no other time exists): then all launches are included.
std::vector<KernelRow> device_rows(const WorkSources& sources, const DisturbedTime& disturbed,
                                   bool all_disturbed);

// One row for each kind of memcpy and memset (direction, memory kinds) and size range. `disturbed`
// and `all_disturbed` as for device_rows().
std::vector<KernelRow> memory_rows(const store::Profile& profile, const DisturbedTime& disturbed,
                                   bool all_disturbed);

// One row for each name, shape and kind of work of the annotated ranges without device work. Empty
// if the profile has device work but no API calls to identify those ranges with.
std::vector<KernelRow> host_rows(const store::Profile& profile, const Attribution& attribution,
                                 const KernelRules& rules, const DisturbedTime& disturbed,
                                 bool all_disturbed);

// Precision assumed for FLOPs if neither annotation nor kernel name gives one; a note reports it.
inline constexpr Precision kAssumedPrecision = Precision::fp32;

}  // namespace mansard::analysis
