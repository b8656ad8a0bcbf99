// SPDX-License-Identifier: Apache-2.0
// One kernel of two runs: how long it takes in each, and whether that differs by more than noise.
#pragma once

#include "analyzer/compare/compare_runs.h"
#include "analyzer/compare/match_kernels.h"

namespace mansard::analysis {

// Verdict and gate go by the typical time of a step or run. Of steps it is the median over those
// in which the kernel was launched, times their share of all steps: in a step a kernel is mostly
// launched for several sizes of work, and the median over its launches would be of one of them. Of
// whole runs it is the number of launches times their median, signature by signature.
KernelComparison compare_kernel(const MatchedLaunches& matched, const RunLaunches& a,
                                const RunLaunches& b);

}  // namespace mansard::analysis
