// SPDX-License-Identifier: Apache-2.0
// GPU state and metrics over time: clocks, power, throttling, and utilization of the GPU's units,
// independent of the kernels.
#include <algorithm>
#include <map>
#include <optional>

#include "analyzer/row_totals.h"
#include "support/clocks_event_reasons.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Statistics of the available values; empty cells without any.
struct Statistics {
  std::int64_t count = 0;
  double sum = 0;
  double least = 0;
  double most = 0;

  void add(double value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    sum += value;
    ++count;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  Cell mean() const { return count > 0 ? Cell(sum / static_cast<double>(count)) : Cell(); }
  Cell minimum() const { return count > 0 ? Cell(least) : Cell(); }
  Cell maximum() const { return count > 0 ? Cell(most) : Cell(); }
};

struct DeviceStates {
  std::int64_t samples = 0;
  Statistics sm_clock_hz, power_w, temperature_c;
  std::int64_t with_reasons = 0;
  std::int64_t throttled = 0;
  std::map<std::uint64_t, std::int64_t> reasons;  // by bit

  void add(const store::DeviceStateSample& s) {
    ++samples;
    sm_clock_hz.add(s.sm_clock_hz);
    power_w.add(s.power_w);
    temperature_c.add(s.temperature_c);
    if (!s.clocks_event_reasons) return;
    ++with_reasons;
    throttled += throttling_bits(*s.clocks_event_reasons) != 0 ? 1 : 0;
    for (const ClocksEventReason& reason : clocks_event_reasons()) {
      reasons[reason.bit] += (*s.clocks_event_reasons & reason.bit) != 0 ? 1 : 0;
    }
  }
  // "software power cap 83.0 %, idle 2.0 %"
  std::string reported_reasons() const {
    std::string text;
    for (const auto& [bit, count] : reasons) {
      if (count == 0) continue;
      const double share = static_cast<double>(count) / static_cast<double>(with_reasons);
      text += (text.empty() ? "" : ", ") + describe_clocks_event_reasons(bit) + " " +
              format_percent(share);
    }
    return text.empty() && with_reasons > 0 ? "none" : text;
  }
};

std::map<std::int32_t, DeviceStates> states_by_device(const RunAnalysis& run) {
  std::map<std::int32_t, DeviceStates> states;
  for (const store::DeviceStateSample& s : run.profile.device_states) {
    if (run.all_disturbed || !run.disturbed.contains(s.timestamp_ns)) states[s.device_id].add(s);
  }
  return states;
}

Table state_table(const RunAnalysis& run, const std::map<std::int32_t, DeviceStates>& states) {
  Table table;
  table.id = "device_state";
  table.title = "Clocks, power and throttling";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"name", "name", CellFormat::text, "", "Product name"},
      {"sm_clock_mean_hz", "SM clock", CellFormat::quantity, "Hz", "Mean SM clock of the samples"},
      {"sm_clock_min_hz", "min", CellFormat::quantity, "Hz", "Lowest SM clock"},
      {"sm_clock_max_hz", "max", CellFormat::quantity, "Hz", "Highest SM clock"},
      {"power_mean_w", "power", CellFormat::quantity, "W", "Mean power of the samples"},
      {"power_max_w", "max power", CellFormat::quantity, "W", "Highest power"},
      {"temperature_max_c", "max temp., °C", CellFormat::count, "", "Highest GPU temperature"},
      {"throttled", "throttled", CellFormat::fraction, "",
       "Share of the samples with a throttle reason: power, temperature or power brake"},
      {"reasons", "reasons", CellFormat::text, "",
       "Clocks event reasons reported by NVML, with their share of the samples"},
      {"samples", "samples", CellFormat::count, "", "Number of NVML samples"},
  };
  for (const auto& [id, s] : states) {
    table.rows.push_back(
        {std::int64_t{id}, gpu_name(run.profile, id), s.sm_clock_hz.mean(), s.sm_clock_hz.minimum(),
         s.sm_clock_hz.maximum(), s.power_w.mean(), s.power_w.maximum(), s.temperature_c.maximum(),
         quotient(static_cast<double>(s.throttled), static_cast<double>(s.with_reasons)),
         s.reported_reasons(), s.samples});
  }
  return table;
}

// Counts of bytes or events are shown as rates.
bool is_count(std::string_view metric) { return metric.ends_with(".sum"); }
bool is_bytes(std::string_view metric) { return metric.find("bytes") != std::string_view::npos; }
bool is_share(std::string_view metric) {
  return metric.find(".pct_of_peak") != std::string_view::npos || metric.ends_with("%]");
}
// Names by Nsight Systems end with the unit: "SMs Active [Throughput %]".
bool is_clock_of_nsight_systems(std::string_view metric) { return metric.ends_with("[MHz]"); }
bool is_of_nsight_systems(std::string_view metric) { return metric.ends_with("]"); }

Table metric_table(const RunAnalysis& run) {
  // Each sample covers the time since the previous one; the first sample is ignored.
  struct Metric {
    Statistics share, bytes_per_s, per_s;
  };
  std::map<std::pair<std::int32_t, std::string_view>, Metric> metrics;
  std::map<std::int32_t, std::int64_t> last_ns;
  std::map<std::int32_t, std::int64_t> period_ns;  // the shortest, as pauses lengthen a period
  for (const store::GpuMetricSample& s : run.profile.gpu_metrics) {
    const auto [last, first] = last_ns.try_emplace(s.device_id, s.end_ns);
    const std::int64_t since_ns = s.end_ns - last->second;
    last->second = s.end_ns;
    if (first || since_ns <= 0) continue;
    const auto [period, is_new] = period_ns.try_emplace(s.device_id, since_ns);
    period->second = std::min(period->second, since_ns);
  }
  for (const store::GpuMetricSample& s : run.profile.gpu_metrics) {
    const auto period = period_ns.find(s.device_id);
    for (const auto& [id, value] : s.values) {
      const std::string_view name = run.profile.string(id);
      if (is_of_nsight_systems(name) && !is_share(name) && !is_clock_of_nsight_systems(name)) {
        continue;  // neither a share nor a rate, such as a number of warps
      }
      Metric& metric = metrics[{s.device_id, name}];
      if (is_share(name)) {
        metric.share.add(value / 100);
      } else if (is_clock_of_nsight_systems(name)) {
        metric.per_s.add(value * 1e6);
      } else if (!is_count(name)) {
        metric.per_s.add(value);
      } else if (period != period_ns.end()) {
        (is_bytes(name) ? metric.bytes_per_s : metric.per_s)
            .add(value / (1e-9 * static_cast<double>(period->second)));
      }
    }
  }
  Table table;
  table.id = "gpu_metrics";
  table.title = "GPU metrics";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"metric", "metric", CellFormat::text, "", "Name in Nsight Compute or Nsight Systems"},
      {"share_mean", "mean %", CellFormat::fraction, "", "Mean % of the unit's peak"},
      {"share_max", "max %", CellFormat::fraction, "", "Highest % of the unit's peak in a sample"},
      {"bytes_per_s_mean", "mean B/s", CellFormat::quantity, "B/s", "Mean byte rate"},
      {"bytes_per_s_max", "max B/s", CellFormat::quantity, "B/s", "Highest byte rate in a sample"},
      {"per_s_mean", "mean rate", CellFormat::quantity, "/s", "Mean rate of other counts"},
      {"per_s_max", "max rate", CellFormat::quantity, "/s",
       "Highest rate of other counts in a sample"},
      {"samples", "samples", CellFormat::count, "", "Number of samples"},
  };
  for (const auto& [key, m] : metrics) {
    table.rows.push_back({std::int64_t{key.first}, std::string(key.second), m.share.mean(),
                          m.share.maximum(), m.bytes_per_s.mean(), m.bytes_per_s.maximum(),
                          m.per_s.mean(), m.per_s.maximum(),
                          std::max({m.share.count, m.bytes_per_s.count, m.per_s.count})});
  }
  return table;
}

std::string summary(const RunAnalysis& run, const std::map<std::int32_t, DeviceStates>& states) {
  if (states.empty()) {
    return run.profile.gpu_metrics.empty()
               ? "The profile has no samples of GPU state."
               : "The profile has samples of GPU metrics, but not of clocks and power.";
  }
  std::string text;
  for (const auto& [id, s] : states) {
    if (s.sm_clock_hz.count == 0) continue;
    text += (text.empty() ? "" : " ") + std::string("GPU ") + std::to_string(id) + " ran at " +
            format_si(s.sm_clock_hz.sum / static_cast<double>(s.sm_clock_hz.count), "Hz") +
            " on average";
    if (s.with_reasons > 0) {
      text +=
          ", throttled by power or temperature in " +
          format_percent(static_cast<double>(s.throttled) / static_cast<double>(s.with_reasons)) +
          " of the samples";
    }
    text += ".";
  }
  return text.empty() ? "SM clocks are not available." : text;
}

Finding device(const RunAnalysis& run) {
  const std::map<std::int32_t, DeviceStates> states = states_by_device(run);
  Finding finding;
  finding.id = "device";
  finding.title = "GPU state over time";
  finding.summary = summary(run, states);
  if (!states.empty()) finding.tables.push_back(state_table(run, states));
  if (!run.profile.gpu_metrics.empty()) finding.tables.push_back(metric_table(run));
  return finding;
}

}  // namespace

void register_device(AnalysisRegistry& registry) {
  registry.add({.name = "device",
                .summary = "Sampled GPU clocks, power, throttling and metrics",
                .order = 50,
                .run = device});
}

}  // namespace mansard::analysis
