// SPDX-License-Identifier: Apache-2.0
#include "reports/export/counter_events.h"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace mansard::reports {
namespace {

struct StateCounter {
  const char* name;
  const char* unit;
  std::optional<double> (*value)(const store::DeviceStateSample&);
};

std::optional<double> scaled(std::optional<double> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

constexpr std::array kStateCounters = {
    StateCounter{"SM clock", "MHz",
                 [](const store::DeviceStateSample& s) { return scaled(s.sm_clock_hz, 1e-6); }},
    StateCounter{"memory clock", "MHz",
                 [](const store::DeviceStateSample& s) { return scaled(s.memory_clock_hz, 1e-6); }},
    StateCounter{"power", "W", [](const store::DeviceStateSample& s) { return s.power_w; }},
    StateCounter{"temperature", "C",
                 [](const store::DeviceStateSample& s) { return s.temperature_c; }},
    StateCounter{"GPU utilization", "%",
                 [](const store::DeviceStateSample& s) { return scaled(s.gpu_utilization, 100); }},
    StateCounter{
        "memory utilization", "%",
        [](const store::DeviceStateSample& s) { return scaled(s.memory_utilization, 100); }},
    StateCounter{"memory used", "B",
                 [](const store::DeviceStateSample& s) {
                   return s.memory_used_bytes
                              ? std::optional(static_cast<double>(*s.memory_used_bytes))
                              : std::nullopt;
                 }},
};

class CounterWalk {
 public:
  CounterWalk(std::int64_t first_ns, TimelineTracks& tracks, TimelineWriter& writer)
      : first_ns_(first_ns), tracks_(tracks), writer_(writer) {}

  void add(std::int32_t device_id, const std::string& name, const char* unit, std::int64_t time_ns,
           double value) {
    if (!std::isfinite(value)) return;
    const auto [known, is_new] = counters_.try_emplace({device_id, name}, 0);
    if (is_new) {
      const Track& device = tracks_.device(device_id);
      Track track{.kind = TrackKind::counter, .parent = device.id, .name = name};
      track.process = device.process;
      track.unit = unit;
      known->second = tracks_.announce(std::move(track)).id;
    }
    writer_.counter({known->second, time_ns - first_ns_, value});
  }

 private:
  std::int64_t first_ns_;
  TimelineTracks& tracks_;
  TimelineWriter& writer_;
  std::map<std::pair<std::int32_t, std::string>, TrackId> counters_;
};

// A sample covers the period before its time, but viewers draw values from their time on.
std::map<std::int32_t, std::int64_t> sampling_periods(const store::Profile& profile) {
  std::map<std::int32_t, std::int64_t> periods_ns;
  std::map<std::int32_t, std::int64_t> last_ns;
  for (const store::GpuMetricSample& sample : profile.gpu_metrics) {
    const auto last = last_ns.find(sample.device_id);
    if (last != last_ns.end() && sample.end_ns > last->second) {
      const std::int64_t gap_ns = sample.end_ns - last->second;
      const auto [period, is_new] = periods_ns.try_emplace(sample.device_id, gap_ns);
      if (!is_new) period->second = std::min(period->second, gap_ns);
    }
    last_ns[sample.device_id] = sample.end_ns;
  }
  return periods_ns;
}

}  // namespace

void walk_counters(const ExportInput& input, std::int64_t first_ns, TimelineTracks& tracks,
                   TimelineWriter& writer) {
  const store::Profile& profile = input.run.profile;
  CounterWalk walk(first_ns, tracks, writer);
  for (const store::DeviceStateSample& sample : profile.device_states) {
    for (const StateCounter& counter : kStateCounters) {
      const std::optional<double> value = counter.value(sample);
      if (value)
        walk.add(sample.device_id, counter.name, counter.unit, sample.timestamp_ns, *value);
    }
  }
  std::map<std::int32_t, std::int64_t> periods_ns = sampling_periods(profile);
  for (const store::GpuMetricSample& sample : profile.gpu_metrics) {
    // Not before the start of the trace.
    const std::int64_t time_ns = std::max(first_ns, sample.end_ns - periods_ns[sample.device_id]);
    for (const auto& [metric, value] : sample.values) {
      walk.add(sample.device_id, profile.string(metric), "", time_ns, value);
    }
  }
}

}  // namespace mansard::reports
