// SPDX-License-Identifier: Apache-2.0
// The GPUs over the time of the recording: clocks, power and throttling, and how busy their units
// were whatever ran.
#include <algorithm>
#include <map>
#include <optional>

#include "analyzer/row_totals.h"
#include "support/clocks_event_reasons.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Of what was told; nothing was: not known.
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
  std::string told_reasons() const {
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

std::string gpu_name(const RunAnalysis& run, std::int32_t id) {
  for (const store::GpuRecord& gpu : run.profile.gpus) {
    if (gpu.id == id) return gpu.name;
  }
  return "";
}

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
      {"device", "GPU", CellFormat::count, "", "CUDA's number in the recorded process"},
      {"name", "name", CellFormat::text, "", "As the driver calls it"},
      {"sm_clock_mean_hz", "SM clock", CellFormat::quantity, "Hz", "Mean over the samples"},
      {"sm_clock_min_hz", "min", CellFormat::quantity, "Hz", "Lowest SM clock"},
      {"sm_clock_max_hz", "max", CellFormat::quantity, "Hz", "Highest SM clock"},
      {"power_mean_w", "power", CellFormat::quantity, "W", "Mean over the samples"},
      {"power_max_w", "max power", CellFormat::quantity, "W", "Highest power"},
      {"temperature_max_c", "hottest", CellFormat::quantity, "degC", "Highest GPU temperature"},
      {"throttled", "throttled", CellFormat::fraction, "",
       "Share of the samples in which power, heat or a brake held the clock down"},
      {"reasons", "reasons", CellFormat::text, "", "Why the clock was what it was, by samples"},
      {"samples", "samples", CellFormat::count, "", "Readings of NVML"},
  };
  for (const auto& [id, s] : states) {
    table.rows.push_back(
        {std::int64_t{id}, gpu_name(run, id), s.sm_clock_hz.mean(), s.sm_clock_hz.minimum(),
         s.sm_clock_hz.maximum(), s.power_w.mean(), s.power_w.maximum(), s.temperature_c.maximum(),
         quotient(static_cast<double>(s.throttled), static_cast<double>(s.with_reasons)),
         s.told_reasons(), s.samples});
  }
  return table;
}

// A counter of bytes or events is told by its rate: a count of one sample means little.
bool is_count(std::string_view metric) { return metric.ends_with(".sum"); }
bool is_bytes(std::string_view metric) { return metric.find("bytes") != std::string_view::npos; }
bool is_share(std::string_view metric) {
  return metric.find(".pct_of_peak") != std::string_view::npos || metric.ends_with("%]");
}
// Nsight Systems ends its names with the unit: "SMs Active [Throughput %]".
bool is_clock_of_nsight_systems(std::string_view metric) { return metric.ends_with("[MHz]"); }
bool is_of_nsight_systems(std::string_view metric) { return metric.ends_with("]"); }

Table metric_table(const RunAnalysis& run) {
  // Each sample covers the time since the one before; the first has none.
  struct Metric {
    Statistics share, bytes_per_s, per_s;
  };
  std::map<std::pair<std::int32_t, std::string_view>, Metric> metrics;
  std::map<std::int32_t, std::int64_t> last_ns;
  std::map<std::int32_t, std::int64_t> period_ns;  // the shortest: after a pause samples are apart
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
        continue;  // a number of warps, say: neither a share nor a rate
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
  table.title = "Use of the units";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA's number in the recorded process"},
      {"metric", "metric", CellFormat::text, "", "Nsight Compute's name"},
      {"share_mean", "mean", CellFormat::fraction, "", "Of the unit's peak, over all samples"},
      {"share_max", "most", CellFormat::fraction, "", "Of the unit's peak, in one sample"},
      {"bytes_per_s_mean", "mean bytes", CellFormat::quantity, "B/s", "Over all samples"},
      {"bytes_per_s_max", "most bytes", CellFormat::quantity, "B/s", "In one sample"},
      {"per_s_mean", "mean rate", CellFormat::quantity, "/s", "Other counts, over all samples"},
      {"per_s_max", "highest rate", CellFormat::quantity, "/s", "Other counts, in one sample"},
      {"samples", "samples", CellFormat::count, "", "Periods sampled"},
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
               ? "The recording holds no samples of a GPU's state."
               : "The recording holds samples of the use of units, but none of clocks and power.";
  }
  std::string text;
  for (const auto& [id, s] : states) {
    if (s.sm_clock_hz.count == 0) continue;
    text += (text.empty() ? "" : " ") + std::string("GPU ") + std::to_string(id) + " ran at " +
            format_si(s.sm_clock_hz.sum / static_cast<double>(s.sm_clock_hz.count), "Hz") +
            " on average";
    if (s.with_reasons > 0) {
      text +=
          ", held down by power or heat in " +
          format_percent(static_cast<double>(s.throttled) / static_cast<double>(s.with_reasons)) +
          " of the samples";
    }
    text += ".";
  }
  return text.empty() ? "The GPUs did not tell their clocks." : text;
}

Finding device(const RunAnalysis& run) {
  const std::map<std::int32_t, DeviceStates> states = states_by_device(run);
  Finding finding;
  finding.id = "device";
  finding.title = "The GPUs over time";
  finding.summary = summary(run, states);
  if (!states.empty()) finding.tables.push_back(state_table(run, states));
  if (!run.profile.gpu_metrics.empty()) finding.tables.push_back(metric_table(run));
  return finding;
}

}  // namespace

void register_device(AnalysisRegistry& registry) {
  registry.add({.name = "device",
                .summary = "Clocks, power, throttling and use of the GPUs' units, as sampled",
                .order = 50,
                .run = device});
}

}  // namespace mansard::analysis
