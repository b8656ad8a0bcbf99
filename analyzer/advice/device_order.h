// SPDX-License-Identifier: Apache-2.0
// Chains of kernels in stream order.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/advice/advice.h"
#include "analyzer/launch_table.h"

namespace mansard::analysis {

struct KernelChain {
  std::vector<std::size_t> kernels;  // into Profile::kernels
  double time_s = 0;
  double longest_s = 0;
};

// Returns the chains in the unit: two or more consecutive kernels in one stream that are all
// `of_interest`, were launched in the same part of the program (innermost_ranges.h), and have no
// gap longer than a launch between them. `one_of_each_class`: a repeated class starts a new chain.
std::vector<KernelChain> kernel_chains(const RunAnalysis& run, const RunUnit& unit,
                                       const std::function<bool(const KernelRow&)>& of_interest,
                                       bool one_of_each_class = false);

// Fills in the rows of the chains (longest first), their total time, and the saving if each chain
// took only as long as its longest kernel. Returns false if the saving is below kWorthTelling.
bool advise_on_chains(const RunAnalysis& run, const RunUnit& unit,
                      const std::vector<KernelChain>& chains, Advice& advice);

}  // namespace mansard::analysis
