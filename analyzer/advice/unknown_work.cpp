// SPDX-License-Identifier: Apache-2.0
// Kernels of whose work nothing is known: what they could save cannot be told.
#include "analyzer/advice/advice.h"
#include "collector/import/profile_source.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kMuchUnknown = 0.2;  // of the rows' time

}  // namespace

std::vector<Advice> advise_on_unknown_work(const RunAnalysis& run, const RunUnit& unit) {
  Advice advice;
  double total_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (is_memory_operation(run.rows[i])) continue;
    const double time_s = unit.duration_s(i);
    total_s += time_s;
    if (run.rows[i].origin != WorkOrigin::none || !(time_s > 0)) continue;
    advice.concerned_s += time_s;
    advice.rows.push_back(i);
  }
  if (!(total_s > 0) || advice.concerned_s < kMuchUnknown * total_s) return {};
  advice.id = "unknown_work";
  advice.title = "FLOPs and bytes are not known";
  advice.text = "For " + format_percent(advice.concerned_s / total_s) +
                " of the kernel time neither FLOPs nor bytes are known, so there is no "
                "speed-of-light time. ";
  advice.text += collector::how_to_get_work(collector::profile_source(run.profile.session));
  return {std::move(advice)};
}

}  // namespace mansard::analysis
