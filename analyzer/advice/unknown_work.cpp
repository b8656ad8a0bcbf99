// SPDX-License-Identifier: Apache-2.0
// Kernels with unknown FLOPs and bytes: their potential saving is not available.
#include "analyzer/advice/advice.h"
#include "collector/import/profile_source.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kMuchUnknown = 0.2;  // share of the rows' time

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
  advice.title = "FLOPs and bytes are unknown";
  advice.text = "For " + format_percent(advice.concerned_s / total_s) +
                " of the kernel time, FLOPs and bytes are unknown, so there is no "
                "speed-of-light time.";
  advice.remedy = collector::how_to_get_work(collector::profile_source(run.profile.session));
  return {std::move(advice)};
}

}  // namespace mansard::analysis
