// SPDX-License-Identifier: Apache-2.0
// The rows of an analysis, before anything is compared with a machine.
#pragma once

#include "analyzer/attribution/work_shares.h"
#include "analyzer/counters/counted_work.h"
#include "analyzer/run_analysis.h"

namespace mansard {

// One row for each kernel signature (name, grid, block, shared memory) and kind of work (class,
// precision, annotated or not): every figure of a row then holds for all of its launches. What an
// annotation says comes first, then what was counted.
std::vector<KernelRow> device_rows(const Profile& profile, const Attribution& attribution,
                                   const KernelNames& names, const std::vector<KernelShare>& shares,
                                   const CountedWorks& counted);

// One row for each name, shape and kind of work of the annotated ranges that put nothing on a
// device. Empty when the profile has device work but no API calls to tell those ranges by.
std::vector<KernelRow> host_rows(const Profile& profile, const Attribution& attribution,
                                 const KernelRules& rules);

// FLOPs whose precision neither annotation nor kernel name tells are counted in this one, and a
// note says so.
inline constexpr Precision kAssumedPrecision = Precision::fp32;

}  // namespace mansard
