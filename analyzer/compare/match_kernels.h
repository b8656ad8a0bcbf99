// SPDX-License-Identifier: Apache-2.0
// Matches the kernels of two runs: first by signature; the rest by short name and class, all
// signatures of a name in one group. Kernels without a match were added or removed.
#pragma once

#include <vector>

#include "analyzer/compare/compare_runs.h"

namespace mansard::analysis {

struct MatchedLaunches {
  KernelMatch match = KernelMatch::signature;
  std::vector<const SignatureLaunches*> a;  // sorted by time, longest first
  std::vector<const SignatureLaunches*> b;
};

std::vector<MatchedLaunches> match_kernels(const std::vector<SignatureLaunches>& a,
                                           const std::vector<SignatureLaunches>& b);

}  // namespace mansard::analysis
