// SPDX-License-Identifier: Apache-2.0
// Compares one kernel in two runs: its time in each, and whether they differ by more than noise.
#pragma once

#include "analyzer/compare/compare_runs.h"
#include "analyzer/compare/match_kernels.h"

namespace mansard::analysis {

// Verdict and gate use the typical time per step or run. Per step, it is the median over the steps
// that launch the kernel, times their share of all steps. (A median over launches would represent
// only one of the sizes of work that a step usually has.) Per run, it is the sum over signatures of
// launches x median duration.
KernelComparison compare_kernel(const MatchedLaunches& matched, const RunLaunches& a,
                                const RunLaunches& b);

}  // namespace mansard::analysis
