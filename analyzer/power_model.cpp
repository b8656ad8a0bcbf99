// SPDX-License-Identifier: Apache-2.0
#include "analyzer/power_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collector/store/clocks_event_reasons.h"

namespace mansard {

// How far the constants may be off: predict() states the range of all of them.
struct PowerModel::Constants {
  double exponent;         // gamma: dynamic power over the clock
  double attention;        // its dynamic power over that of GEMMs
  double class_power = 1;  // factor on all powers of kClassPowers
};

namespace {

// Power of classes of kernels at the highest clock, over the power limit. All but `quantize` as
// each settles at when it runs alone (H200, 700 W, 1980 MHz; docs/power.md); quantizing kernels use
// more between GEMMs than alone: fitted. A class that is not here uses as much as element-wise
// kernels.
struct ClassPower {
  std::string_view operation_class;
  double of_limit;
};
constexpr std::array kClassPowers = {
    ClassPower{"optimizer", 0.78}, ClassPower{"reduction", 0.79}, ClassPower{"amax", 0.79},
    ClassPower{"transpose", 0.77}, ClassPower{"copy", 0.77},      ClassPower{"norm", 0.86},
    ClassPower{"activation", 1.0}, ClassPower{"cast", 0.95},      ClassPower{"quantize", 1.0},
    ClassPower{"dequantize", 1.0}, ClassPower{"rht", 1.0},        ClassPower{"memcpy", 0.68},
    ClassPower{"memset", 0.56},
};
constexpr double kElementwisePower = 0.91;
constexpr double kIdlePower = 0.18;    // 124 W: a context is open, nothing runs
constexpr double kStaticPower = 0.15;  // s: does not depend on clock or work
// Upper bound on the part of a memory-bound kernel's dynamic power that the memory uses, which
// does not fall with the SM clock.
constexpr double kMemoryPower = 0.5;

double class_power(std::string_view operation_class) {
  const auto known =
      std::find_if(kClassPowers.begin(), kClassPowers.end(),
                   [&](const ClassPower& c) { return c.operation_class == operation_class; });
  return known == kClassPowers.end() ? kElementwisePower : known->of_limit;
}

constexpr double kAtLimit = 0.5;    // of the samples name power as the reason
constexpr double kBelowMax = 0.99;  // the clock, of the highest
constexpr double kNoise = 0.015;    // of a step's time, between runs on one card

bool is_compute_bound(const KernelRow& row) {
  if (row.kind != RowKind::kernel) return false;
  if (row.limit.bound == Bound::compute) return true;
  return row.operation_class == "gemm" || row.operation_class == "attention" ||
         row.operation_class == "convolution";
}

}  // namespace

PowerModel::PowerModel(const RunAnalysis& run, const RunUnit& unit) : run_(run), unit_(unit) {
  for (const KernelRow& row : run.rows) computes_.push_back(is_compute_bound(row));
  if (!unit.step()) {
    why_ = "no step is known whose power could be looked at";
    return;
  }
  const StepState state = state_in_typical_steps(run.profile, step_times(run));
  if (!state.sm_clock_hz || !state.power_w) {
    why_ = "clock and power were not sampled often enough within typical steps";
    return;
  }
  clock_hz_ = *state.sm_clock_hz;
  power_w_ = *state.power_w;
  double with_reasons = 0;
  double held_by_power = 0;
  for (const DeviceStateSample& sample : run.profile.device_states) {
    if (!unit.counts(sample.device_id, sample.timestamp_ns)) continue;
    if (sample.sm_clock_hz) max_clock_hz_ = std::max(max_clock_hz_, *sample.sm_clock_hz);
    if (!sample.clocks_event_reasons) continue;
    with_reasons += 1;
    held_by_power += (*sample.clocks_event_reasons & kPowerReasons) != 0 ? 1 : 0;
  }
  for (const GpuRecord& gpu : run.profile.gpus) {
    max_clock_hz_ = std::max(max_clock_hz_, static_cast<double>(gpu.clock_rate_hz));
  }
  if (!(with_reasons > 0) || held_by_power < kAtLimit * with_reasons ||
      clock_hz_ > kBelowMax * max_clock_hz_) {
    why_ = "the GPU did not run at its power limit";
    return;
  }
  limited_ = true;
}

double PowerModel::time_s(const std::vector<RowChange>& changes, const Constants& c,
                          double* clock_hz) const {
  // Compute-bound work in seconds of GEMMs that use as much, and the rest as energy over the limit.
  double before_gemm_s = 0;
  double gemm_s = 0;
  double compute_s = 0;  // time, at the present clock
  double rest_s = 0;
  struct Rest {
    double power;  // at the highest clock
    double before_s;
    double work_s;
  };
  std::vector<Rest> rest;
  double busy_s = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double time_s = unit_.time_s(i);
    busy_s += time_s;
    if (computes_[i]) {
      const double weight = run_.rows[i].operation_class == "attention" ? c.attention : 1;
      before_gemm_s += weight * time_s;
      gemm_s += weight * time_s * changes[i].energy;
      compute_s += time_s * changes[i].time;
    } else {
      rest_s += time_s * changes[i].time;
      rest.push_back({c.class_power * class_power(run_.rows[i].operation_class), time_s,
                      time_s * changes[i].energy});
    }
  }
  const double idle_s = std::max(0.0, unit_.time_s() - busy_s);
  rest_s += idle_s;
  rest.push_back({kIdlePower, idle_s, idle_s});
  if (clock_hz != nullptr) *clock_hz = clock_hz_;
  if (!limited_ || !(before_gemm_s > 0)) return compute_s + rest_s;

  // Energy above the static power, at a clock of x times the present one; over the limit.
  const double highest = max_clock_hz_ / clock_hz_;
  const auto rest_power = [&](double power, double x) {
    const double dynamic = std::max(0.0, power - kStaticPower);
    if (power == kIdlePower) return dynamic;
    const double memory = std::min(kMemoryPower, dynamic);
    return memory + (dynamic - memory) * std::pow(x / highest, c.exponent);
  };
  double before_rest = 0;
  for (const Rest& r : rest) before_rest += r.before_s * rest_power(r.power, 1);
  // GEMMs use the remaining power below the limit, and at least the mean power.
  const double gemm_power = std::max(
      (unit_.time_s() * (1 - kStaticPower) - before_rest) / before_gemm_s, 1 - kStaticPower);
  const double scale =  // of the rest, where it cannot have used as much as assumed
      before_rest > 0
          ? (unit_.time_s() * (1 - kStaticPower) - before_gemm_s * gemm_power) / before_rest
          : 1;
  const auto excess = [&](double x) {  // energy above what the limit allows
    double energy = gemm_s * gemm_power * std::pow(x, c.exponent - 1);
    for (const Rest& r : rest) energy += scale * r.work_s * rest_power(r.power, x);
    return energy - (1 - kStaticPower) * (compute_s / x + rest_s);
  };
  double low = 0.25;
  double high = highest;
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

PredictedStep PowerModel::predict(const std::vector<RowChange>& changes) const {
  PredictedStep out;
  double clock_hz = 0;
  out.time_s = time_s(changes, {2.5, 0.42}, &clock_hz);
  out.low_s = out.high_s = out.time_s;
  if (limited_) {
    out.clock_hz = clock_hz;
    for (const double exponent : {1.8, 3.5}) {
      for (const double attention : {0.25, 0.75}) {
        for (const double power : {0.85, 1.1}) {
          const double time = time_s(changes, {exponent, attention, power}, nullptr);
          out.low_s = std::min(out.low_s, time);
          out.high_s = std::max(out.high_s, time);
        }
      }
    }
  }
  out.low_s *= 1 - kNoise;
  out.high_s *= 1 + kNoise;
  return out;
}

}  // namespace mansard
