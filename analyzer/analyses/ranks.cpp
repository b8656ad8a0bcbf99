// SPDX-License-Identifier: Apache-2.0
// Compares the GPUs of a job: a typical step of each, and the GPU that the others wait for.
#include <algorithm>

#include "analyzer/ranks/rank_tables.h"
#include "analyzer/row_totals.h"
#include "analyzer/steps/collective_arrivals.h"
#include "analyzer/steps/step_times.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Collectives of one GPU, matched with those of the others.
struct Arrivals {
  std::int64_t matched = 0;  // collectives matched with other GPUs
  std::int64_t last = 0;     // of those, collectives that this GPU started last
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

constexpr double kSlowStep = 0.02;  // of a step

// Time of a typical step without exposed communication.
double own_s(const DeviceSteps& device) {
  const TimeParts& parts = device.typical_parts;
  return seconds(parts.total_ns - parts.communication_ns - parts.arrival_ns) /
         static_cast<double>(device.typical.size());
}

Table ranks_table(const std::vector<DeviceSteps>& devices,
                  const std::map<std::int32_t, Arrivals>& arrivals) {
  Table table;
  table.id = "ranks";
  table.title = "A typical step of each GPU";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "GPU of the job, as numbered by `mansard merge`"},
      {"step_s", "step", CellFormat::quantity, "s",
       "Mean of the typical steps; the parts that follow add up to it"},
      {"kernels_s", "kernels", CellFormat::quantity, "s", "Time in which a kernel computed"},
      {"communication_s", "exposed comm.", CellFormat::quantity, "s",
       "Time in which only collectives ran, after all GPUs had started them"},
      {"rank_wait_s", "waiting for GPUs", CellFormat::quantity, "s",
       "Time in which only collectives ran that another GPU had not started yet"},
      {"memcpy_memset_s", "memcpy, memset", CellFormat::quantity, "s",
       "Time in which only memcpys, memsets and CUDA graphs recorded as a whole ran"},
      {"idle_s", "idle", CellFormat::quantity, "s", "Time in which nothing ran"},
      {"collectives", "collectives", CellFormat::count, "",
       "Collectives matched with other GPUs, in the whole profile"},
      {"last_share", "last to start", CellFormat::fraction, "",
       "Share of the collectives that this GPU started last"},
      {"mean_wait_s", "mean wait", CellFormat::quantity, "s",
       "Mean time from this GPU's start of a collective to the last GPU's, hidden or exposed"},
  };
  table.chart = Chart{
      .kind = ChartKind::stacked_bars,
      .label_keys = {"device"},
      .value_keys = {"kernels_s", "communication_s", "rank_wait_s", "memcpy_memset_s", "idle_s"},
      .total_key = "step_s",
      .value_kinds = {"kernels", "communication", "waiting", "memcpy_memset", "idle"}};
  std::vector<double> plotted;
  for (const DeviceSteps& device : devices) {
    if (!device.typical.empty()) plotted.push_back(own_s(device));
  }
  table.chart->rows = plotted_ranks(plotted, table.chart->selection);
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

// The GPU that needs clearly more time for its own work than the others; "" if there is none.
std::string slow_device(const std::vector<DeviceSteps>& devices) {
  std::vector<double> all_s;
  const DeviceSteps* slowest = nullptr;
  for (const DeviceSteps& device : devices) {
    if (device.typical.empty()) continue;
    all_s.push_back(own_s(device));
    if (slowest == nullptr || own_s(device) > own_s(*slowest)) slowest = &device;
  }
  if (all_s.size() < 2) return "";
  const double excess_s = own_s(*slowest) - lower_median(all_s);
  if (excess_s < kSlowStep * slowest->mean_step_s()) return "";
  return " GPU " + std::to_string(slowest->device_id) + " needs " + format_si(excess_s, "s") +
         " (" + format_percent(excess_s / slowest->mean_step_s()) +
         ") per step more than the median GPU for its own work, without exposed communication.";
}

std::string summary(const std::vector<DeviceSteps>& devices,
                    const std::map<std::int32_t, Arrivals>& arrivals) {
  std::string text = "A typical step takes ";
  const auto [fastest, slowest] = std::minmax_element(
      devices.begin(), devices.end(),
      [](const auto& a, const auto& b) { return a.mean_step_s() < b.mean_step_s(); });
  if (!(fastest->mean_step_s() > 0)) {
    return "Step times are not available: counters were read in every step.";
  }
  text += format_si(fastest->mean_step_s(), "s") + " on GPU " + std::to_string(fastest->device_id) +
          " and " + format_si(slowest->mean_step_s(), "s") + " on GPU " +
          std::to_string(slowest->device_id) + ".";
  text += slow_device(devices);
  if (arrivals.empty()) {
    return text +
           " No collective could be matched between GPUs: align the clocks of the ranks' profiles "
           "with `mansard merge`.";
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
  return text + " GPU " + std::to_string(late->first) + " is the last to start " +
         format_percent(static_cast<double>(late->second.last) /
                        static_cast<double>(late->second.matched)) +
         " of its collectives; on average, a GPU waits " + format_si(waited_s, "s") +
         " per step for other GPUs while no kernel computes.";
}

Finding ranks(const RunAnalysis& run) {
  Finding finding;
  finding.id = "ranks";
  finding.title = "GPUs of the job";
  const std::vector<DeviceSteps>& devices = named_step_times(run);
  if (devices.size() < 2) {
    finding.summary = "The profile has kernels of fewer than two GPUs.";
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
                .summary = "Step time by GPU of a job, and the GPU that the others wait for",
                .order = 17,
                .run = ranks});
}

}  // namespace mansard::analysis
