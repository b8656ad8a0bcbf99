// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analyzer/advice/advice.h"

namespace mansard {

bool worth_telling(double time_s, const RunAnalysis& run, const RunUnit& unit) {
  double whole_s = unit.time_s();
  if (!(whole_s > 0)) {
    for (std::size_t i = 0; i < run.rows.size(); ++i) whole_s += unit.time_s(i);
  }
  return time_s >= kWorthTelling * whole_s;
}

std::vector<Advice> all_advice(const RunAnalysis& run, const RunUnit& unit) {
  constexpr AdviceRule kRules[] = {advise_on_slow_kernels, advise_on_memory_operations,
                                   advise_on_collectives,  advise_on_launches,
                                   advise_on_conversions,  advise_on_elementwise_chains,
                                   advise_on_wide_gemms,   advise_on_power,
                                   advise_on_idle_time,    advise_on_unknown_work};
  std::vector<Advice> all;
  for (const AdviceRule rule : kRules) {
    std::vector<Advice> found = rule(run, unit);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return a.saving_s.value_or(-1) > b.saving_s.value_or(-1);
  });
  return all;
}

}  // namespace mansard
