// SPDX-License-Identifier: Apache-2.0
// Passes over one tensor that could be one: amax, Hadamard transform, quantise, transpose, cast.
#include <set>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

std::vector<Advice> advise_on_conversions(const RunAnalysis& run) {
  static const std::set<std::string> kConversions = {"amax", "rht", "quantize", "transpose",
                                                     "cast"};
  // Of a second tensor the classes come again.
  const std::vector<KernelChain> chains = kernel_chains(
      run, [](const KernelRow& row) { return kConversions.contains(row.operation_class); }, true);
  Advice advice;
  if (!advise_on_chains(run, chains, advice)) return {};
  advice.id = "conversions";
  advice.title = "Conversions of number formats in several passes";
  advice.text = std::to_string(chains.size()) + " times kernels that find an amax, transform, " +
                "quantise or transpose follow each other in a stream, " +
                format_si(advice.concerned_s, "s") +
                " in all. The kernel that writes a tensor can find its amax, and one pass can "
                "transform, quantise and transpose; it is taken to need as long as the longest of "
                "them.";
  return {std::move(advice)};
}

}  // namespace mansard
