// SPDX-License-Identifier: Apache-2.0
// SM clock limited by power or temperature while compute-bound kernels run.
#include <algorithm>

#include "analyzer/advice/advice.h"
#include "support/clocks_event_reasons.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kThrottledShare = 0.1;  // share of the samples
constexpr double kLowClock = 0.97;       // mean clock / highest clock

struct Clocks {
  double sum_hz = 0;
  double count = 0;
  double highest_hz = 0;
  double with_reasons = 0;
  double throttled = 0;
};

// Uses only samples within the unit.
Clocks clocks_of(const store::Profile& profile, const RunUnit& unit) {
  Clocks clocks;
  for (const store::GpuRecord& gpu : profile.gpus) {
    clocks.highest_hz = std::max(clocks.highest_hz, static_cast<double>(gpu.clock_rate_hz));
  }
  for (const store::DeviceStateSample& s : profile.device_states) {
    if (!unit.counts(s.device_id, s.timestamp_ns)) continue;
    if (s.sm_clock_hz) {
      clocks.sum_hz += *s.sm_clock_hz;
      clocks.count += 1;
      clocks.highest_hz = std::max(clocks.highest_hz, *s.sm_clock_hz);
    }
    if (s.clocks_event_reasons) {
      clocks.with_reasons += 1;
      clocks.throttled += throttling_bits(*s.clocks_event_reasons) != 0 ? 1 : 0;
    }
  }
  return clocks;
}

// Mean utilization of the tensor pipe as a fraction; std::nullopt if it was not sampled.
std::optional<double> tensor_pipe(const store::Profile& profile) {
  double sum = 0;
  double count = 0;
  for (const store::GpuMetricSample& sample : profile.gpu_metrics) {
    for (const auto& [id, value] : sample.values) {
      const std::string& name = profile.string(id);
      if (name.find("pipe_tensor") == std::string::npos ||
          name.find(".pct_of_peak") == std::string::npos) {
        continue;
      }
      sum += value / 100;
      count += 1;
    }
  }
  if (!(count > 0)) return std::nullopt;
  return sum / count;
}

}  // namespace

std::vector<Advice> advise_on_power(const RunAnalysis& run, const RunUnit& unit) {
  const Clocks clocks = clocks_of(run.profile, unit);
  if (!(clocks.count > 0) || !(clocks.with_reasons > 0)) return {};
  const double low = clocks.sum_hz / clocks.count / clocks.highest_hz;
  const double throttled = clocks.throttled / clocks.with_reasons;
  if (low > kLowClock || throttled < kThrottledShare) return {};

  Advice advice;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    // If FLOPs and bytes are unknown, the class indicates compute-bound kernels.
    const bool by_class =
        row.sol.bound == Bound::unknown &&
        (row.operation_class == kGemmClass || row.operation_class == kAttentionClass);
    if (row.target == kernels::Target::host || (row.sol.bound != Bound::compute && !by_class))
      continue;
    const double time_s = unit.duration_s(i);
    if (!(time_s > 0)) continue;
    advice.concerned_s += time_s;
    advice.rows.push_back(i);
  }
  advice.saving_s = advice.concerned_s * (1 - low);
  if (!worth_telling(*advice.saving_s, run, unit)) return {};
  advice.id = "power";
  advice.title = "SM clock limited by power or temperature";
  advice.text = "Power or temperature limited the SM clock in " + format_percent(throttled) +
                " of the samples. The mean clock is " + format_percent(low) + " of the highest, " +
                format_si(clocks.highest_hz, "Hz") + ".";
  if (const auto pipe = tensor_pipe(run.profile)) {
    advice.text += " Tensor pipe utilization: " + format_percent(*pipe) + ".";
  }
  advice.text += " Compute-bound kernels slow down in proportion.";
  advice.remedy =
      "Raise the power limit, improve cooling, or use formats and kernels with less energy per "
      "FLOP.";
  return {std::move(advice)};
}

}  // namespace mansard::analysis
