// SPDX-License-Identifier: Apache-2.0
// Consecutive passes over one tensor that could be fused: amax, Hadamard transform, quantize,
// transpose, cast.
#include <set>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "support/units.h"

namespace mansard::analysis {

std::vector<Advice> advise_on_conversions(const RunAnalysis& run, const RunUnit& unit) {
  static const std::set<OperationClass> kConversions = {"amax", "rht", "quantize", "transpose",
                                                        "cast"};
  // A repeated class means that the next tensor starts.
  const std::vector<KernelChain> chains = kernel_chains(
      run, unit, [](const KernelRow& row) { return kConversions.contains(row.operation_class); },
      true);
  Advice advice;
  if (!advise_on_chains(run, unit, chains, advice)) return {};
  advice.id = "conversions";
  advice.title = "Format conversion in several passes";
  advice.text = format_count(unit.per_unit(static_cast<double>(chains.size()))) + " times per " +
                std::string(unit.name()) +
                ", two or more conversion kernels (amax, Hadamard transform, quantize, transpose, "
                "cast) follow each other in one stream: " +
                format_si(advice.concerned_s, "s") + " per " + std::string(unit.name()) +
                ". The saving assumes that a fused kernel takes as long as the longest of its "
                "parts.";
  advice.remedy =
      "Fuse them: compute the amax in the kernel that writes the tensor, and transform, quantize "
      "and transpose in one kernel.";
  return {std::move(advice)};
}

}  // namespace mansard::analysis
