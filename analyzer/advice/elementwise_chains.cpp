// SPDX-License-Identifier: Apache-2.0
// Chains of element-wise kernels, in which each kernel reads the output of the previous one.
#include <set>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "support/units.h"

namespace mansard::analysis {

std::vector<Advice> advise_on_elementwise_chains(const RunAnalysis& run, const RunUnit& unit) {
  static const std::set<OperationClass> kElementwise = {"elementwise", "activation", "copy",
                                                        "cast"};
  const std::vector<KernelChain> chains = kernel_chains(
      run, unit, [](const KernelRow& row) { return kElementwise.contains(row.operation_class); });
  Advice advice;
  if (!advise_on_chains(run, unit, chains, advice)) return {};
  advice.id = "elementwise_chains";
  advice.title = "Chains of element-wise kernels";
  advice.text = format_si(advice.concerned_s, "s") + " per " + std::string(unit.name()) +
                " are spent in " + format_count(unit.per_unit(static_cast<double>(chains.size()))) +
                " chains of element-wise kernels, copies and casts in one stream. The saving "
                "assumes that a fused kernel takes as long as the longest of its parts.";
  advice.remedy =
      "If each kernel uses the output of the previous one, fuse them with torch.compile or a "
      "custom kernel.";
  return {std::move(advice)};
}

}  // namespace mansard::analysis
