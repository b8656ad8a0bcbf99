// SPDX-License-Identifier: Apache-2.0
// The clock that a GPU at its power limit would run at if a step's work changed. Removing kernels
// that use less power than the mean leaves a step that would use more, so the clock falls and the
// compute-bound rest slows down.
//
//   T(x) = t_c / x + t_r            time of a step at x times the present clock
//   E(x) = s T(x) + D_c x^(gamma-1) + D_r(x) = P T(x)     its energy, at the power limit P
//
// t_c, t_r: time in compute-bound kernels and in the rest; D_c, D_r: their energy above the static
// power s. D_r follows from the power of each kernel class; D_c is the remainder of the energy at
// the power limit and the present clock. Constants, their measurement and validation:
// docs/power.md.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/steps/run_unit.h"

namespace mansard::analysis {

// A change to a row: its time at the present clock, and the energy of its remaining work.
struct RowChange {
  double time = 1;    // fraction of its present time
  double energy = 1;  // fraction of its present work; 0: removed
};

struct PredictedStep {
  double time_s = 0;  // of a step, or of the run
  // Interval over the model's constants; low_s and high_s add the differences between runs.
  double model_low_s = 0;
  double model_high_s = 0;
  double low_s = 0;
  double high_s = 0;
  std::optional<double> clock_hz;  // empty: the clock is assumed constant
};

// Modeled energy per unit and device. The sum is the sampled power times the unit's time.
struct UnitEnergy {
  std::vector<double> row_j;  // by row
  double idle_j = 0;
};

class PowerModel {
 public:
  // Models the clock if sampled clocks, power and throttle reasons show the GPU at its power limit
  // in the unit's steps. Otherwise the clock is constant, and why() gives the reason.
  PowerModel(const RunAnalysis& run, const RunUnit& unit);

  bool limited() const { return limited_; }
  const std::string& why() const { return why_; }
  double clock_hz() const { return clock_hz_; }
  double power_w() const { return power_w_; }

  std::size_t rows() const { return computes_.size(); }
  // Whether a row's kernels slow down with the SM clock.
  bool is_compute_bound(std::size_t row) const { return computes_[row]; }

  // Predicts the unit's time with `changes` by row and `idle` times its present idle time.
  PredictedStep predict(const std::vector<RowChange>& changes, double idle = 1) const;

  // std::nullopt unless limited() and some kernels are compute-bound.
  std::optional<UnitEnergy> energy() const;

 private:
  struct Constants;
  struct Calibration;
  Calibration calibrate(const Constants& constants) const;
  double weight(std::size_t row, const Constants& constants) const;
  double rest_power(double power, double x, const Constants& constants) const;
  double time_s(const std::vector<RowChange>& changes, double idle, const Constants& constants,
                double* clock_hz) const;

  const RunAnalysis& run_;
  const RunUnit& unit_;
  std::vector<bool> computes_;  // by row
  double idle_s_ = 0;
  bool limited_ = false;
  std::string why_;
  double clock_hz_ = 0;
  double max_clock_hz_ = 0;
  double power_w_ = 0;
};

}  // namespace mansard::analysis
