// SPDX-License-Identifier: Apache-2.0
// Kernels of whose work nothing is known: what they could save cannot be told.
#include "analyzer/advice/advice.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr double kMuchUnknown = 0.2;  // of the rows' time

}  // namespace

std::vector<Advice> advise_on_unknown_work(const RunAnalysis& run) {
  Advice advice;
  double total_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    total_s += row.time_s;
    if (row.origin != WorkOrigin::none) continue;
    advice.concerned_s += row.time_s;
    advice.rows.push_back(i);
  }
  if (!(total_s > 0) || advice.concerned_s < kMuchUnknown * total_s) return {};
  advice.id = "unknown_work";
  advice.title = "Work that is not known";
  advice.text = "Of " + format_percent(advice.concerned_s / total_s) +
                " of the kernels' time neither FLOPs nor bytes are known, so nothing can be said "
                "of their speed of light. Annotate the program's ranges, or record with "
                "`mansard profile --counters roofline`.";
  return {std::move(advice)};
}

}  // namespace mansard
