// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels one after the other, each of which reads and writes what the last one wrote.
#include <set>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

std::vector<Advice> advise_on_elementwise_chains(const RunAnalysis& run) {
  static const std::set<std::string> kElementwise = {"elementwise", "activation", "copy", "cast"};
  const std::vector<KernelChain> chains = kernel_chains(
      run, [](const KernelRow& row) { return kElementwise.contains(row.operation_class); });
  Advice advice;
  if (!advise_on_chains(run, chains, advice)) return {};
  advice.id = "elementwise_chains";
  advice.title = "Chains of element-wise kernels";
  advice.text = format_si(advice.concerned_s, "s") + " go to " + std::to_string(chains.size()) +
                " chains of element-wise kernels, copies and casts in one stream. Where each works "
                "on the result of the one before, a compiler or a fused kernel (torch.compile) "
                "makes one of them, taken to need as long as the longest.";
  return {std::move(advice)};
}

}  // namespace mansard
