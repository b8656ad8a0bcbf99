// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

bool worth_telling(double time_s, const RunAnalysis& run, const RunUnit& unit) {
  double whole_s = unit.time_s();
  if (!(whole_s > 0)) {
    for (std::size_t i = 0; i < run.rows.size(); ++i) whole_s += unit.time_s(i);
  }
  return time_s >= kWorthTelling * whole_s;
}

std::vector<std::size_t> costliest_rows(const RunAnalysis& run, const RunUnit& unit,
                                        std::size_t most,
                                        const std::function<bool(const KernelRow&)>& select) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (select(run.rows[i]) && worth_telling(unit.time_s(i), run, unit)) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return unit.time_s(a) > unit.time_s(b); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::string saving_text(const Advice& advice, const RunUnit& unit) {
  if (!advice.saving_s) return {};
  std::string text =
      "up to " + format_si(*advice.saving_s, "s") + " per " + std::string(unit.name());
  std::string detail;
  if (unit.time_s() > 0) detail = format_percent(*advice.saving_s / unit.time_s());
  if (advice.saving_low_s && advice.saving_high_s) {
    detail += (detail.empty() ? "" : "; ") + format_si(*advice.saving_low_s, "s") + " to " +
              format_si(*advice.saving_high_s, "s") + " at the power limit";
  }
  return detail.empty() ? text : text + " (" + detail + ")";
}

namespace {

// Removed, hidden or faster kernels change the power of the step, and with it the clock.
void apply_power_limit(const PowerModel& power, const RunUnit& unit, Advice& advice) {
  if (!advice.saving_s || (advice.row_savings.empty() && !(advice.idle_saving_s > 0))) return;
  std::vector<RowChange> changes(power.rows());
  for (const RowSaving& saving : advice.row_savings) {
    const double time_s = unit.time_s(saving.row);
    if (!(time_s > 0)) continue;
    const double saved = std::min(1.0, saving.time_s / time_s);
    changes[saving.row].time -= saved;
    if (saving.work_too) changes[saving.row].energy -= saved;
  }
  const double idle =
      unit.idle_s() > 0 ? std::max(0.0, 1 - advice.idle_saving_s / unit.idle_s()) : 1;
  const PredictedStep step = power.predict(changes, idle);
  advice.saving_s = std::max(0.0, unit.time_s() - step.time_s);
  advice.saving_low_s = std::max(0.0, unit.time_s() - step.high_s);
  advice.saving_high_s = std::max(0.0, unit.time_s() - step.low_s);
}

}  // namespace

std::vector<Advice> all_advice(const RunAnalysis& run, const RunUnit& unit) {
  constexpr AdviceRule kRules[] = {advise_on_slow_kernels,       advise_on_graph_kernels,
                                   advise_on_memory_operations,  advise_on_collectives,
                                   advise_on_launches,           advise_on_conversions,
                                   advise_on_elementwise_chains, advise_on_high_precision_gemms,
                                   advise_on_excess_flop,        advise_on_power,
                                   advise_on_idle_time,          advise_on_numerics,
                                   advise_on_unknown_work};
  std::vector<Advice> all;
  for (const AdviceRule rule : kRules) {
    std::vector<Advice> found = rule(run, unit);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  const PowerModel power(run, unit);
  if (power.limited()) {
    for (Advice& advice : all) apply_power_limit(power, unit, advice);
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return a.saving_s.value_or(-1) > b.saving_s.value_or(-1);
  });
  return all;
}

}  // namespace mansard::analysis
