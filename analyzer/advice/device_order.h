// SPDX-License-Identifier: Apache-2.0
// The kernels of a run in the order in which each stream ran them, and the row of each.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// For each of Profile::kernels its row; kNoRow for none.
std::vector<std::size_t> rows_of_kernels(const RunAnalysis& run);

struct KernelChain {
  std::vector<std::size_t> kernels;  // into Profile::kernels
  double time_s = 0;
  double longest_s = 0;
};

// Runs of two or more kernels in one stream, each `of_interest`, launched in the same part of the
// program (launch_scopes.h) and without a pause between them in which the device waited for more
// than a launch. `one_of_each_class`: where a class comes again, another chain begins.
std::vector<KernelChain> kernel_chains(const RunAnalysis& run,
                                       const std::function<bool(const KernelRow&)>& of_interest,
                                       bool one_of_each_class = false);

// The rows of chains, by falling time in them.
std::vector<std::size_t> rows_of_chains(const RunAnalysis& run,
                                        const std::vector<KernelChain>& chains);

}  // namespace mansard
