// SPDX-License-Identifier: Apache-2.0
// The GPUs of a job beside each other: a typical step of each, and which one the others wait for.
#include <algorithm>

#include "analyzer/row_totals.h"
#include "analyzer/steps/collective_arrivals.h"
#include "analyzer/steps/step_times.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// What one GPU's collectives had to do with those of the others.
struct Arrivals {
  std::int64_t matched = 0;  // collectives that other GPUs took part in
  std::int64_t last = 0;     // of them: those that this GPU was the last to begin
  std::int64_t waited_ns = 0;
};

std::map<std::int32_t, Arrivals> arrivals_by_device(const RunAnalysis& run) {
  const CollectiveArrivals arrivals(run, kCollectiveClass);
  std::map<std::int32_t, Arrivals> devices;
  for (const KernelRow& row : run.rows) {
    if (row.target != kernels::Target::cuda || row.operation_class != kCollectiveClass) continue;
    for (const std::size_t launch : row.launch_indices) {
      const store::KernelRecord& kernel = run.profile.kernels[launch];
      const auto last_ns = arrivals.of(static_cast<std::uint32_t>(launch));
      if (!last_ns) continue;
      Arrivals& device = devices[kernel.device_id];
      ++device.matched;
      if (kernel.start_ns == *last_ns) ++device.last;
      device.waited_ns += *last_ns - kernel.start_ns;
    }
  }
  return devices;
}

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

Table ranks_table(const std::vector<DeviceSteps>& devices,
                  const std::map<std::int32_t, Arrivals>& arrivals) {
  Table table;
  table.id = "ranks";
  table.title = "A typical step of each GPU";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "Of the job, as `mansard merge` numbers them"},
      {"step_s", "step", CellFormat::quantity, "s", "Mean; the parts that follow add up to it"},
      {"kernels_s", "kernels", CellFormat::quantity, "s", "While a kernel computed"},
      {"communication_s", "communication", CellFormat::quantity, "s",
       "Only collectives ran, and all of their GPUs had begun them"},
      {"arrival_s", "waiting for GPUs", CellFormat::quantity, "s",
       "Only collectives ran, which another GPU had not begun yet"},
      {"memcpy_memset_s", "copies", CellFormat::quantity, "s", "Only copies, fills and whole graphs ran"},
      {"idle_s", "idle", CellFormat::quantity, "s", "Nothing ran"},
      {"collectives", "collectives", CellFormat::count, "",
       "That other GPUs took part in, in the whole recording"},
      {"last_share", "last in", CellFormat::fraction, "", "Of them, this GPU being the last"},
      {"mean_wait_s", "mean wait", CellFormat::quantity, "s",
       "From its own begin of a collective to that of the last GPU, hidden or not"},
  };
  table.chart =
      Chart{.kind = ChartKind::stacked_bars,
            .label_keys = {"device"},
            .value_keys = {"kernels_s", "communication_s", "arrival_s", "memcpy_memset_s", "idle_s"},
            .total_key = "step_s",
            .value_kinds = {"kernels", "communication", "waiting", "copies", "idle"}};
  for (const DeviceSteps& device : devices) {
    const TimeParts& parts = device.typical_parts;
    const double steps = static_cast<double>(device.typical.size());
    if (!(steps > 0)) continue;
    std::int64_t kernels_ns = 0;
    for (const auto& [name, ns] : parts.class_ns) kernels_ns += ns;
    const auto found = arrivals.find(device.device_id);
    const Arrivals own = found == arrivals.end() ? Arrivals{} : found->second;
    const double matched = static_cast<double>(own.matched);
    table.rows.push_back({std::int64_t{device.device_id}, seconds(parts.total_ns) / steps,
                          seconds(kernels_ns) / steps, seconds(parts.communication_ns) / steps,
                          seconds(parts.arrival_ns) / steps,
                          seconds(parts.copy_ns + parts.graph_ns) / steps,
                          seconds(parts.idle_total_ns()) / steps, own.matched,
                          quotient(static_cast<double>(own.last), matched),
                          quotient(seconds(own.waited_ns), matched)});
  }
  return table;
}

std::string summary(const std::vector<DeviceSteps>& devices,
                    const std::map<std::int32_t, Arrivals>& arrivals) {
  std::string text = "A typical step takes ";
  const auto [fastest, slowest] = std::minmax_element(
      devices.begin(), devices.end(),
      [](const auto& a, const auto& b) { return a.mean_step_s() < b.mean_step_s(); });
  if (!(fastest->mean_step_s() > 0)) {
    return "Counters were read in every step, so the time of a typical step is not known.";
  }
  text += format_si(fastest->mean_step_s(), "s") + " on GPU " + std::to_string(fastest->device_id) +
          " and " + format_si(slowest->mean_step_s(), "s") + " on GPU " +
          std::to_string(slowest->device_id) + ".";
  if (arrivals.empty()) {
    return text +
           " No collective could be matched between GPUs: bring the ranks' recordings onto one "
           "clock with 'mansard merge'.";
  }
  const auto late =
      std::max_element(arrivals.begin(), arrivals.end(),
                       [](const auto& a, const auto& b) { return a.second.last < b.second.last; });
  double waited_s = 0;
  for (const DeviceSteps& device : devices) {
    if (device.typical.empty()) continue;
    waited_s += seconds(device.typical_parts.arrival_ns) /
                static_cast<double>(device.typical.size() * devices.size());
  }
  return text + " GPU " + std::to_string(late->first) + " is the last to begin " +
         format_percent(static_cast<double>(late->second.last) /
                        static_cast<double>(late->second.matched)) +
         " of its collectives; on average a GPU waits " + format_si(waited_s, "s") +
         " a step for another while nothing computes.";
}

Finding ranks(const RunAnalysis& run) {
  Finding finding;
  finding.id = "ranks";
  finding.title = "GPUs of the job";
  const std::vector<DeviceSteps>& devices = named_step_times(run);
  if (devices.size() < 2) {
    finding.summary = "The recording has kernels of fewer than two GPUs.";
    return finding;
  }
  const std::map<std::int32_t, Arrivals> arrivals = arrivals_by_device(run);
  finding.summary = summary(devices, arrivals);
  finding.tables = {ranks_table(devices, arrivals)};
  return finding;
}

}  // namespace

void register_ranks(AnalysisRegistry& registry) {
  registry.add({.name = "ranks",
                .summary = "The GPUs of a job beside each other, and which the others wait for",
                .order = 17,
                .run = ranks});
}

}  // namespace mansard::analysis
