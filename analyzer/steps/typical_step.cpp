// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/typical_step.h"

#include <algorithm>

namespace mansard::analysis {

namespace {

struct Mean {
  double sum = 0;
  std::size_t count = 0;

  void add(const std::optional<double>& value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  std::optional<double> value() const {
    if (count < kMinStateSamples) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

}  // namespace

std::optional<std::size_t> typical_step_at(const DeviceSteps& device, std::int64_t time_ns) {
  const std::optional<std::size_t> step = step_at(device.steps, time_ns);
  if (!step || !std::ranges::binary_search(device.typical, *step)) return std::nullopt;
  return step;
}

StepState state_in_typical_steps(const store::Profile& profile,
                                 const std::vector<DeviceSteps>& devices) {
  Mean clock;
  Mean power;
  for (const store::DeviceStateSample& sample : profile.device_states) {
    for (const DeviceSteps& device : devices) {
      if (device.device_id != sample.device_id) continue;
      if (!typical_step_at(device, sample.timestamp_ns)) continue;
      clock.add(sample.sm_clock_hz);
      power.add(sample.power_w);
    }
  }
  return {clock.value(), power.value()};
}

TypicalStep typical_step(const RunAnalysis& run, const std::vector<DeviceSteps>& devices) {
  TypicalStep out;
  TimeParts sum;
  std::map<std::int32_t, RowTime> rows;
  out.whole = true;
  for (const DeviceSteps& device : devices) {
    ++out.devices;
    out.typical += device.typical.size();
    out.all += device.steps.size();
    out.disturbed += device.disturbed;
    out.whole = out.whole && device.origin == StepOrigin::whole;
    if (out.how.empty()) out.how = device.how;
    sum += device.typical_parts;
    for (const auto& [row, time] : device.rows) rows[row] += time;
  }
  if (out.typical == 0 || sum.total_ns <= 0) return out;
  const double per_step_s = 1e-9 / static_cast<double>(out.typical);
  const auto seconds = [&](std::int64_t ns) { return static_cast<double>(ns) * per_step_s; };
  out.step_s = seconds(sum.total_ns);
  for (const auto& [name, ns] : sum.class_ns) {
    out.class_s[name] = seconds(ns);
    out.kernels_s += out.class_s[name];
  }
  out.communication_s = seconds(sum.communication_ns);
  out.rank_wait_s = seconds(sum.arrival_ns);
  out.replica_sync_s = seconds(sum.replica_sync_ns);
  out.hidden_replica_sync_s = seconds(sum.replica_syncing_ns - sum.replica_sync_ns);
  out.memory_s = seconds(sum.copy_ns);
  out.graphs_s = seconds(sum.graph_ns);
  out.idle_s = seconds(sum.idle_total_ns());
  for (std::size_t i = 0; i < kIdleCauses; ++i) out.idle_by_cause_s[i] = seconds(sum.idle_ns[i]);
  for (const auto& [index, time] : rows) {
    const auto row = static_cast<std::size_t>(index);
    const auto per_step = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(out.typical);
    };
    out.rows[row] = {.time_s = seconds(time.owned_ns),
                     .rank_wait_s = seconds(time.arrival_ns),
                     .replica_sync_s = seconds(time.replica_sync_ns),
                     .duration_s = seconds(time.duration_ns),
                     .launches = per_step(time.launches),
                     .replica_sync_launches = per_step(time.replica_sync_launches)};
    if (run.rows[row].kind == RowKind::kernel) {
      out.kernel_launches += out.rows[row].launches;
    }
  }
  return out;
}

std::optional<TypicalStep> typical_step(const RunAnalysis& run) {
  TypicalStep step = typical_step(run, step_times(run));
  if (step.typical == 0 || !(step.step_s > 0)) return std::nullopt;
  return step;
}

}  // namespace mansard::analysis
