// SPDX-License-Identifier: Apache-2.0
// Which kernels of two runs are the same: first by signature, then, of what remains, by short name
// and class, all of one name together; the rest was added or removed.
#pragma once

#include <vector>

#include "analyzer/compare/compare_runs.h"

namespace mansard::analysis {

struct MatchedLaunches {
  KernelMatch match = KernelMatch::signature;
  std::vector<const SignatureLaunches*> a;  // by falling time
  std::vector<const SignatureLaunches*> b;
};

std::vector<MatchedLaunches> match_kernels(const std::vector<SignatureLaunches>& a,
                                           const std::vector<SignatureLaunches>& b);

}  // namespace mansard::analysis
