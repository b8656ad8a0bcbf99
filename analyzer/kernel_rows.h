// SPDX-License-Identifier: Apache-2.0
// The rows of an analysis, before anything is compared with a machine.
#pragma once

#include "analyzer/launch_work.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// One row for each kernel signature (name, grid, block, shared memory) and kind of work (class,
// precision, amounts): every figure of a row then holds for all of its launches. What an annotation
// states comes first, then what was counted. Launches in `disturbed` time are in no figure of their
// row; with `all_disturbed`, where there is no other time, all of them are.
std::vector<KernelRow> device_rows(const WorkSources& sources, const DisturbedTime& disturbed,
                                   bool all_disturbed);

// One row for each kind of memcpy and memset (direction, kinds of memory) and order of magnitude of
// its size, likewise.
std::vector<KernelRow> memory_rows(const store::Profile& profile, const DisturbedTime& disturbed,
                                   bool all_disturbed);

// One row for each name, shape and kind of work of the annotated ranges that put nothing on a
// device. Empty when the profile has device work but no API calls to tell those ranges by.
std::vector<KernelRow> host_rows(const store::Profile& profile, const Attribution& attribution,
                                 const KernelRules& rules, const DisturbedTime& disturbed,
                                 bool all_disturbed);

// FLOPs whose precision neither annotation nor kernel name tells are counted in this one, and a
// note says so.
inline constexpr Precision kAssumedPrecision = Precision::fp32;

}  // namespace mansard::analysis
