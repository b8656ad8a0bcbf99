// SPDX-License-Identifier: Apache-2.0
// Work of the kernels of CUDA graphs. A graph's nodes are launched together, so no API call of
// their own tells their work. Programs run a step without a graph before they capture it, and the
// same kernel then did the same work.
#pragma once

#include <vector>

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/attribution/work_shares.h"
#include "analyzer/steps/step.h"

namespace mansard::analysis {

// Adds shares for graph nodes without one: those of launches of the same signature outside of
// graphs whose work was modeled from their shapes. If these differ, as a persistent kernel has the
// same grid for all matrix shapes, the n-th node of the signature in a step has the share of the
// n-th launch in a step that has as many of them, all with known work; without such a step, none.
// The fractions of a range's work then add up to one for each time that it was done.
void add_shares_of_graphs(const store::Profile& profile, const Attribution& attribution,
                          const std::vector<Steps>& steps, std::vector<KernelShare>& shares);

}  // namespace mansard::analysis
