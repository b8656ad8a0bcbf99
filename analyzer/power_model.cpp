// SPDX-License-Identifier: Apache-2.0
#include "analyzer/power_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "support/clocks_event_reasons.h"

namespace mansard::analysis {

// Constants of the model; predict() also evaluates their ranges.
struct PowerModel::Constants {
  double exponent = 2.5;    // gamma: dynamic power ~ clock^gamma
  double attention = 0.42;  // dynamic power of attention / that of GEMMs
  double class_power = 1;   // factor for all powers in kClassPowers
};

// Dynamic power at the present clock / power limit.
struct PowerModel::Calibration {
  double gemm_power = 0;  // of GEMMs; 0: no kernel is compute-bound
  double rest_scale = 1;  // factor for all other power, if it must be lower than assumed
};

namespace {

// Power of each kernel class at the highest clock / power limit. Measured with the class running
// alone (H200, 700 W, 1980 MHz; docs/power.md), except for `quantize`, which is fitted: quantize
// kernels use more power between GEMMs than alone. Other classes use kElementwisePower.
struct ClassPower {
  OperationClass operation_class;
  double of_limit;
};
const std::array kClassPowers = {
    ClassPower{"optimizer", 0.78}, ClassPower{"reduction", 0.79}, ClassPower{"amax", 0.79},
    ClassPower{"transpose", 0.77}, ClassPower{"copy", 0.77},      ClassPower{"norm", 0.86},
    ClassPower{"activation", 1.0}, ClassPower{"cast", 0.95},      ClassPower{"quantize", 1.0},
    ClassPower{"dequantize", 1.0}, ClassPower{"rht", 1.0},        ClassPower{"memcpy", 0.68},
    ClassPower{"memset", 0.56},
};
constexpr double kElementwisePower = 0.91;
constexpr double kIdlePower = 0.18;    // 124 W: a context exists, nothing runs
constexpr double kStaticPower = 0.15;  // s: independent of clock and work
// Upper bound on the memory's part of a memory-bound kernel's dynamic power, which does not depend
// on the SM clock.
constexpr double kMemoryPower = 0.5;

double class_power(OperationClass operation_class) {
  const auto known =
      std::find_if(kClassPowers.begin(), kClassPowers.end(),
                   [&](const ClassPower& c) { return c.operation_class == operation_class; });
  return known == kClassPowers.end() ? kElementwisePower : known->of_limit;
}

constexpr double kAtLimit = 0.5;    // minimum share of samples with a power throttle reason
constexpr double kBelowMax = 0.99;  // maximum clock / highest clock
constexpr double kNoise = 0.015;    // relative difference of step times between runs on one GPU
constexpr double kMaxGraphs = 0.1;  // maximum share of the unit's time in CUDA graphs

bool slows_with_clock(const KernelRow& row) {
  if (row.kind != RowKind::kernel) return false;
  if (row.sol.bound == Bound::compute) return true;
  return row.operation_class == kGemmClass || row.operation_class == kAttentionClass ||
         row.operation_class == kConvolutionClass;
}

}  // namespace

PowerModel::PowerModel(const RunAnalysis& run, const RunUnit& unit) : run_(run), unit_(unit) {
  for (const KernelRow& row : run.rows) computes_.push_back(slows_with_clock(row));
  double busy_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) busy_s += unit.time_s(i);
  idle_s_ = std::max(0.0, unit.time_s() - busy_s);
  if (!unit.step()) {
    why_ = "no typical step was found";
    return;
  }
  const StepState state = state_in_typical_steps(run.profile, step_times(run));
  if (!state.sm_clock_hz || !state.power_w) {
    why_ = "too few clock and power samples lie within typical steps";
    return;
  }
  clock_hz_ = *state.sm_clock_hz;
  power_w_ = *state.power_w;
  double with_reasons = 0;
  double held_by_power = 0;
  for (const store::DeviceStateSample& sample : run.profile.device_states) {
    if (!unit.counts(sample.device_id, sample.timestamp_ns)) continue;
    if (sample.sm_clock_hz) max_clock_hz_ = std::max(max_clock_hz_, *sample.sm_clock_hz);
    if (!sample.clocks_event_reasons) continue;
    with_reasons += 1;
    held_by_power += (*sample.clocks_event_reasons & kPowerReasons) != 0 ? 1 : 0;
  }
  for (const store::GpuRecord& gpu : run.profile.gpus) {
    max_clock_hz_ = std::max(max_clock_hz_, static_cast<double>(gpu.clock_rate_hz));
  }
  if (!(with_reasons > 0) || held_by_power < kAtLimit * with_reasons ||
      clock_hz_ > kBelowMax * max_clock_hz_) {
    why_ = "the GPU did not run at its power limit";
    return;
  }
  if (unit.step()->graphs_s > kMaxGraphs * unit.time_s()) {
    why_ = "the kernels of CUDA graphs were not recorded";
    return;
  }
  limited_ = true;
}

double PowerModel::weight(std::size_t row, const Constants& c) const {
  return run_.rows[row].operation_class == kAttentionClass ? c.attention : 1;
}

// Returns the dynamic power, at x times the present clock, of a kernel that is not compute-bound
// and uses `power` at the highest clock.
double PowerModel::rest_power(double power, double x, const Constants& c) const {
  const double dynamic = std::max(0.0, power - kStaticPower);
  if (power == kIdlePower) return dynamic;
  const double memory = std::min(kMemoryPower, dynamic);
  return memory + (dynamic - memory) * std::pow(x * clock_hz_ / max_clock_hz_, c.exponent);
}

PowerModel::Calibration PowerModel::calibrate(const Constants& c) const {
  double gemm_s = 0;  // compute-bound time, weighted by power relative to GEMMs
  double rest = idle_s_ * rest_power(kIdlePower, 1, c);
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    const double power = c.class_power * class_power(run_.rows[i].operation_class);
    (computes_[i] ? gemm_s : rest) +=
        unit_.time_s(i) * (computes_[i] ? weight(i, c) : rest_power(power, 1, c));
  }
  if (!limited_ || !(gemm_s > 0)) return {};
  // GEMMs use the rest of the power limit, but at least the mean power.
  const double available = unit_.time_s() * (1 - kStaticPower);
  const double gemm_power = std::max((available - rest) / gemm_s, 1 - kStaticPower);
  return {gemm_power, rest > 0 ? (available - gemm_s * gemm_power) / rest : 1};
}

double PowerModel::time_s(const std::vector<RowChange>& changes, double idle, const Constants& c,
                          double* clock_hz) const {
  double gemm_s = 0;     // remaining compute-bound work, as GEMM time at the present clock
  double compute_s = 0;  // compute-bound time at the present clock
  double rest_s = idle_s_ * idle;
  std::map<double, double> rest_work_s = {{kIdlePower, rest_s}};  // by power at the highest clock
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double time_s = unit_.time_s(i);
    if (computes_[i]) {
      gemm_s += weight(i, c) * time_s * changes[i].energy;
      compute_s += time_s * changes[i].time;
    } else {
      rest_s += time_s * changes[i].time;
      rest_work_s[c.class_power * class_power(run_.rows[i].operation_class)] +=
          time_s * changes[i].energy;
    }
  }
  if (clock_hz != nullptr) *clock_hz = clock_hz_;
  const Calibration now = calibrate(c);
  if (!(now.gemm_power > 0)) return compute_s + rest_s;

  const auto excess = [&](double x) {  // energy above the power limit
    double energy = gemm_s * now.gemm_power * std::pow(x, c.exponent - 1);
    for (const auto& [power, work_s] : rest_work_s) {
      energy += now.rest_scale * work_s * rest_power(power, x, c);
    }
    return energy - (1 - kStaticPower) * (compute_s / x + rest_s);
  };
  double low = 0.25;
  double high = max_clock_hz_ / clock_hz_;
  if (excess(high) <= 0) {
    low = high;
  } else {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (excess(middle) > 0 ? high : low) = middle;
    }
  }
  if (clock_hz != nullptr) *clock_hz = low * clock_hz_;
  return compute_s / low + rest_s;
}

PredictedStep PowerModel::predict(const std::vector<RowChange>& changes, double idle) const {
  PredictedStep out;
  double clock_hz = 0;
  out.time_s = time_s(changes, idle, {}, &clock_hz);
  out.model_low_s = out.model_high_s = out.time_s;
  if (limited_) {
    out.clock_hz = clock_hz;
    for (const double exponent : {1.8, 3.5}) {
      for (const double attention : {0.25, 0.75}) {
        for (const double power : {0.85, 1.1}) {
          const double time = time_s(changes, idle, {exponent, attention, power}, nullptr);
          out.model_low_s = std::min(out.model_low_s, time);
          out.model_high_s = std::max(out.model_high_s, time);
        }
      }
    }
  }
  out.low_s = (1 - kNoise) * out.model_low_s;
  out.high_s = (1 + kNoise) * out.model_high_s;
  return out;
}

std::optional<UnitEnergy> PowerModel::energy() const {
  const Constants c;
  const Calibration now = calibrate(c);
  if (!(now.gemm_power > 0)) return std::nullopt;
  const auto energy_j = [&](double time_s, double dynamic) {
    return power_w_ * time_s * (kStaticPower + dynamic);
  };
  UnitEnergy out;
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    const double power = c.class_power * class_power(run_.rows[i].operation_class);
    out.row_j.push_back(energy_j(unit_.time_s(i), computes_[i]
                                                      ? weight(i, c) * now.gemm_power
                                                      : now.rest_scale * rest_power(power, 1, c)));
  }
  out.idle_j = energy_j(idle_s_, now.rest_scale * rest_power(kIdlePower, 1, c));
  return out;
}

}  // namespace mansard::analysis
