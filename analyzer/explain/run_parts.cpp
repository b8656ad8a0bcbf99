// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/run_parts.h"

#include <algorithm>
#include <stdexcept>

namespace mansard {

namespace {

// At least as many samples as make a mean worth telling: at 100 ms each, half a second.
constexpr std::size_t kLeastSamples = 5;

double device_speed_of_light_s(const SpeedOfLight& limit) {
  double least_s = limit.compute_s;
  for (const auto& [level, time_s] : limit.bandwidth_s) least_s = std::max(least_s, time_s);
  return least_s;
}

bool is_in_typical_step(const DeviceSteps& device, std::int64_t time_ns) {
  const std::vector<Step>& steps = device.steps.steps;
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time_ns,
                       [](std::int64_t time, const Step& step) { return time < step.start_ns; });
  if (after == steps.begin() || time_ns >= (after - 1)->end_ns) return false;
  const auto step = static_cast<std::size_t>(after - steps.begin()) - 1;
  return std::binary_search(device.typical.begin(), device.typical.end(), step);
}

std::optional<double> mean_clock_hz(const Profile& profile,
                                    const std::vector<DeviceSteps>& devices) {
  double sum_hz = 0;
  std::size_t samples = 0;
  for (const DeviceStateSample& sample : profile.device_states) {
    if (!sample.sm_clock_hz) continue;
    for (const DeviceSteps& device : devices) {
      if (device.device_id != sample.device_id) continue;
      if (!is_in_typical_step(device, sample.timestamp_ns)) continue;
      sum_hz += *sample.sm_clock_hz;
      ++samples;
    }
  }
  if (samples < kLeastSamples) return std::nullopt;
  return sum_hz / static_cast<double>(samples);
}

}  // namespace

RunParts run_parts(const RunAnalysis& run, const std::string& steps_range) {
  const std::vector<DeviceSteps> devices = step_times(run, steps_range);
  RunParts parts;
  std::map<std::int32_t, RowTime> rows;
  std::int64_t total_ns = 0;
  std::int64_t copies_ns = 0;
  std::int64_t graphs_ns = 0;
  IdleTimes idle_ns = {};
  parts.whole = true;
  for (const DeviceSteps& device : devices) {
    parts.whole = parts.whole && device.steps.origin == StepOrigin::whole;
    parts.steps += device.typical.size();
    total_ns += device.typical_parts.total_ns;
    copies_ns += device.typical_parts.copy_ns;
    graphs_ns += device.typical_parts.graph_ns;
    for (std::size_t i = 0; i < kIdleCauses; ++i) idle_ns[i] += device.typical_parts.idle_ns[i];
    for (const auto& [row, time] : device.rows) {
      rows[row].owned_ns += time.owned_ns;
      rows[row].arrival_ns += time.arrival_ns;
      rows[row].launches += time.launches;
    }
    if (parts.how.empty()) parts.how = device.steps.how;
  }
  if (parts.steps == 0 || total_ns <= 0) {
    throw std::invalid_argument(run.profile.file.string() +
                                " holds no kernels with times: there is nothing to explain");
  }
  const double per_step_s = 1e-9 / static_cast<double>(parts.steps);
  parts.step_s = static_cast<double>(total_ns) * per_step_s;
  parts.copies_s = static_cast<double>(copies_ns) * per_step_s;
  parts.graphs_s = static_cast<double>(graphs_ns) * per_step_s;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    parts.idle_s[i] = static_cast<double>(idle_ns[i]) * per_step_s;
  }
  for (const auto& [index, time] : rows) {
    const KernelRow& row = run.rows[static_cast<std::size_t>(index)];
    KernelPart part;
    part.row = &row;
    part.time_s = static_cast<double>(time.owned_ns) * per_step_s;
    // Every figure of a row holds for all of its launches alike.
    part.launches = static_cast<double>(time.launches) / static_cast<double>(parts.steps);
    const double share = part.launches / static_cast<double>(row.launches);
    part.flop = row.work.total_flop() * share;
    part.speed_of_light_s = device_speed_of_light_s(row.limit) * share;
    if (row.operation_class == "gemm") {
      parts.gemms.push_back(part);
    } else if (row.operation_class == "collective") {
      KernelPart waiting = part;
      waiting.time_s = static_cast<double>(time.arrival_ns) * per_step_s;
      part.time_s = static_cast<double>(time.owned_ns - time.arrival_ns) * per_step_s;
      parts.communication.push_back(part);
      if (time.arrival_ns > 0) parts.arrival.push_back(waiting);
    } else {
      parts.classes[row.operation_class].push_back(part);
    }
  }
  parts.sm_clock_hz = mean_clock_hz(run.profile, devices);
  return parts;
}

double total_s(const std::vector<KernelPart>& parts) {
  double sum_s = 0;
  for (const KernelPart& part : parts) sum_s += part.time_s;
  return sum_s;
}

std::string part_label(const KernelPart& part) {
  const KernelRow& row = *part.row;
  std::string grid;
  for (const std::int32_t n : row.grid) grid += (grid.empty() ? "" : "x") + std::to_string(n);
  return row.short_name + " <" + grid + ">";
}

}  // namespace mansard
