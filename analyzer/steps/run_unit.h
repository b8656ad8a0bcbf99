// SPDX-License-Identifier: Apache-2.0
// The unit in which advice, what-if and comparisons state times: a typical step, or the whole run
// if no steps were found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/steps/typical_step.h"

namespace mansard::analysis {

class RunUnit {
 public:
  explicit RunUnit(const RunAnalysis& run);

  // "step" or "run"
  std::string_view name() const { return step_ && !step_->whole ? "step" : "run"; }
  // Per unit and device; 0: not available, because counters were read during the whole run.
  double time_s() const { return time_s_; }
  double idle_s() const { return idle_s_; }
  // By index into RunAnalysis::rows, per unit and device: time (overlapping time counts once),
  // total duration of the launches (overlapping or not), their cost (KernelRow::cost_s), launches.
  double time_s(std::size_t row) const { return rows_[row].time_s; }
  double duration_s(std::size_t row) const { return rows_[row].duration_s; }
  double cost_s(std::size_t row) const;
  double launches(std::size_t row) const { return rows_[row].launches; }
  // Potential saving: T - T_sol of the row's launches. At most time_s(row), because the rest of T
  // is hidden behind other work; 0 if the launches are faster than the SOL time. Empty if the SOL
  // time is unknown.
  std::optional<double> saving_s(std::size_t row) const;
  // Returns the part per unit of `sum`, to which all launches of a row contribute equally, such as
  // work.
  double per_unit(std::size_t row, double sum) const;

  // Whether an activity that starts on a device at this time is part of a unit.
  bool counts(std::int32_t device_id, std::int64_t time_ns) const;
  // `sum`: over all units.
  double per_unit(double sum) const { return sum / units_; }

  const std::optional<TypicalStep>& step() const { return step_; }

  // Per unit: time, cost (KernelRow::cost_s) and SOL time of the rows with known SOL time, and the
  // time of all rows.
  struct Sol {
    double known_s = 0;
    double cost_s = 0;
    double sol_s = 0;
    double all_s = 0;
  };
  Sol sol() const;

  // Shares of the unit's time by operation class, largest first; "idle" is one. Without a known
  // time, shares of the rows' time.
  std::vector<std::pair<OperationClass, double>> shares() const;

 private:
  const RunAnalysis& run_;
  std::optional<TypicalStep> step_;
  const std::vector<DeviceSteps>* devices_ = nullptr;
  double time_s_ = 0;
  double idle_s_ = 0;
  double units_ = 1;
  std::vector<RowPerStep> rows_;
};

}  // namespace mansard::analysis
