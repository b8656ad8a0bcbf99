// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/run_unit.h"

#include <algorithm>
#include <map>

namespace mansard::analysis {

RunUnit::RunUnit(const RunAnalysis& run) : run_(run), rows_(run.rows.size()) {
  step_ = typical_step(run);
  if (step_) {
    devices_ = &step_times(run);
    time_s_ = step_->step_s;
    idle_s_ = step_->idle_s;
    units_ = static_cast<double>(step_->typical);
    for (const auto& [row, of_step] : step_->rows) rows_[row] = of_step;
    return;
  }
  // A host run, or a run in which counters were read all the time: sums over all launches.
  time_s_ = run.span_s;
  idle_s_ = std::max(0.0, run.span_s - run.busy_s);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    rows_[i] = {.time_s = row.time_s,
                .duration_s = row.time_s,
                .launches = static_cast<double>(row.launches)};
  }
}

double RunUnit::per_unit(std::size_t row, double sum) const {
  const auto launches = static_cast<double>(run_.rows[row].launches);
  return launches > 0 ? sum * rows_[row].launches / launches : 0;
}

double RunUnit::cost_s(std::size_t row) const {
  const KernelRow& of_run = run_.rows[row];
  return of_run.time_s > 0 ? of_run.cost_s * duration_s(row) / of_run.time_s : 0;
}

std::optional<double> RunUnit::saving_s(std::size_t row) const {
  const double sol_s = run_.rows[row].sol.time_s;
  if (!(sol_s > 0)) return std::nullopt;
  return std::clamp(cost_s(row) - per_unit(row, sol_s), 0.0, time_s(row));
}

bool RunUnit::counts(std::int32_t device_id, std::int64_t time_ns) const {
  if (devices_ == nullptr) return run_.all_disturbed || !run_.disturbed.contains(time_ns);
  const auto device = std::find_if(devices_->begin(), devices_->end(),
                                   [&](const DeviceSteps& d) { return d.device_id == device_id; });
  return device != devices_->end() && typical_step_at(*device, time_ns).has_value();
}

RunUnit::Sol RunUnit::sol() const {
  Sol sum;
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    const KernelRow& row = run_.rows[i];
    sum.all_s += duration_s(i);
    if (!row.slowdown) continue;
    sum.known_s += duration_s(i);
    sum.cost_s += cost_s(i);
    sum.sol_s += per_unit(i, row.sol.time_s);
  }
  return sum;
}

std::vector<std::pair<OperationClass, double>> RunUnit::shares() const {
  std::map<OperationClass, double> time_s;
  double whole_s = 0;
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    time_s[run_.rows[i].operation_class] += rows_[i].time_s;
    whole_s += rows_[i].time_s;
  }
  if (step_) {
    time_s["CUDA graphs"] += step_->graphs_s;
    time_s["idle"] += step_->idle_s;
    whole_s = step_->step_s;
  }
  std::vector<std::pair<OperationClass, double>> out;
  for (const auto& [name, time] : time_s) {
    if (time > 0 && whole_s > 0) out.emplace_back(name, time / whole_s);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace mansard::analysis
