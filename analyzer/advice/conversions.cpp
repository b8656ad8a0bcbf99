// SPDX-License-Identifier: Apache-2.0
// Passes over one tensor that could be one: amax, Hadamard transform, quantize, transpose, cast.
#include <set>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "support/units.h"

namespace mansard::analysis {

std::vector<Advice> advise_on_conversions(const RunAnalysis& run, const RunUnit& unit) {
  static const std::set<OperationClass> kConversions = {"amax", "rht", "quantize", "transpose",
                                                        "cast"};
  // Of a second tensor the classes come again.
  const std::vector<KernelChain> chains = kernel_chains(
      run, unit, [](const KernelRow& row) { return kConversions.contains(row.operation_class); },
      true);
  Advice advice;
  if (!advise_on_chains(run, unit, chains, advice)) return {};
  advice.id = "conversions";
  advice.title = "Number formats are converted in several passes";
  advice.text = format_count(unit.per_unit(static_cast<double>(chains.size()))) + " times per " +
                std::string(unit.name()) +
                ", kernels that find an amax, transform, quantize or transpose follow each other "
                "in a stream: " +
                format_si(advice.concerned_s, "s") + " per " + std::string(unit.name()) +
                ". The kernel that writes a tensor can find its amax, and one kernel can "
                "transform, quantize and transpose. The saving assumes that the fused kernel takes "
                "as long as the longest of them.";
  return {std::move(advice)};
}

}  // namespace mansard::analysis
