// SPDX-License-Identifier: Apache-2.0
// Breakdown of the step time: kernels by class, exposed communication, and idle time by cause.
#include <algorithm>
#include <cmath>

#include "analyzer/row_totals.h"
#include "analyzer/steps/phases.h"
#include "analyzer/steps/step_times.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

struct StepPart {
  std::string kind;
  std::string name;
  std::int64_t ns = 0;
  std::string description;
};

constexpr const char* kKernels = "kernels";  // StepPart::kind

// Leaves out parts without time.
std::vector<StepPart> parts_of(const TimeParts& parts) {
  std::vector<StepPart> all;
  for (const auto& [c, ns] : parts.class_ns) all.push_back({kKernels, c.name(), ns, ""});
  std::stable_sort(all.begin(), all.end(),
                   [](const StepPart& a, const StepPart& b) { return a.ns > b.ns; });
  all.push_back({"communication", "exposed", parts.communication_ns,
                 "Collectives and copies between GPUs while no kernel computes"});
  all.push_back({"communication", "waiting for ranks", parts.arrival_ns,
                 "Collectives that the last rank has not started yet, while no kernel computes"});
  all.push_back(
      {"synchronization", "of replicas, exposed", parts.replica_sync_ns,
       "The step waits for a range 'synchronization', or for device work launched in it"});
  all.push_back({"graphs", "recorded whole", parts.graph_ns,
                 "CUDA graphs whose kernels were not recorded, while no other kernel computes"});
  all.push_back({"memcpy_memset", "memcpy and memset", parts.copy_ns,
                 "Memcpys and memsets while no kernel runs"});
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    all.push_back({"idle", std::string(cause.label),
                   parts.idle_ns[static_cast<std::size_t>(cause.id)],
                   std::string(cause.description)});
  }
  std::erase_if(all, [](const StepPart& part) { return part.ns == 0; });
  return all;
}

struct PartOnPath {
  StepPart part;
  std::int64_t critical_ns = 0;
};

// Parts that are only on the critical path come last: their time belongs to activities that started
// earlier.
std::vector<PartOnPath> parts_on_path(const DeviceSteps& device) {
  std::vector<PartOnPath> all;
  for (StepPart& part : parts_of(device.typical_parts)) all.push_back({std::move(part), 0});
  for (StepPart& part : parts_of(device.critical_parts)) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const PartOnPath& other) {
      return other.part.kind == part.kind && other.part.name == part.name;
    });
    const std::int64_t critical_ns = part.ns;
    part.ns = 0;
    (same != all.end() ? *same : all.emplace_back(PartOnPath{std::move(part), 0})).critical_ns =
        critical_ns;
  }
  return all;
}

Table parts_table(const std::vector<DeviceSteps>& devices) {
  Table table;
  table.id = "step_time";
  table.title = "A typical step";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"kind", "activity", CellFormat::text, "", "Kind of device activity, or idle"},
      {"name", "part", CellFormat::text, "",
       "Operation class of the kernels, or cause of idle time"},
      {"time_s", "per step", CellFormat::quantity, "s",
       "Mean of the typical steps; overlapping time counts once, so the parts add up to the step"},
      {"share", "share", CellFormat::fraction, "", "Share of the step time"},
      {"critical_s", "critical path", CellFormat::quantity, "s",
       "Time on the critical path: the chain of activities and waits from start to end of a step"},
      {"meaning", "meaning", CellFormat::text, "", "Definition of the part"},
  };
  table.chart = Chart{.kind = ChartKind::stacked_bars,
                      .label_keys = {"device"},
                      .value_keys = {"time_s"},
                      .part_key = "name",
                      .part_kind_key = "kind"};
  for (const DeviceSteps& device : devices) {
    const double steps = static_cast<double>(device.typical.size());
    const double total_s = seconds(device.typical_parts.total_ns);
    for (const auto& [part, critical_ns] : parts_on_path(device)) {
      const std::string operation_class = part.kind == kKernels ? part.name : "";
      table.add({std::int64_t{device.device_id}, part.kind, part.name, seconds(part.ns) / steps,
                 quotient(seconds(part.ns), total_s), seconds(critical_ns) / steps,
                 part.description.empty() ? Cell() : Cell(part.description)},
                {.operation_class = operation_class});
    }
  }
  return table;
}

bool has_replica_sync(const std::vector<DeviceSteps>& devices) {
  return std::ranges::any_of(devices, [](const DeviceSteps& device) {
    return std::ranges::any_of(device.parts,
                               [](const TimeParts& parts) { return parts.replica_syncing_ns > 0; });
  });
}

// Only of runs with replicas.
void add_replica_sync(Table& table, const std::vector<DeviceSteps>& devices) {
  const auto at = [](auto& list, std::size_t place) {
    return list.begin() + static_cast<std::ptrdiff_t>(place);
  };
  const auto memcpys = std::ranges::find(table.columns, "memcpy_memset_s", &Column::key);
  const auto place = static_cast<std::size_t>(memcpys - table.columns.begin());
  table.columns.insert(memcpys,
                       {{"replica_sync_s", "exposed sync.", CellFormat::quantity, "s",
                         "Time in which the step waited for synchronization of replicas"},
                        {"replica_sync_hidden_s", "hidden sync.", CellFormat::quantity, "s",
                         "Time in which synchronization ran and the step did not wait for it"}});
  std::size_t row = 0;
  for (const DeviceSteps& device : devices) {
    for (const TimeParts& parts : device.parts) {
      std::vector<Cell>& cells = table.rows[row++];
      cells.insert(at(cells, place), {seconds(parts.replica_sync_ns),
                                      seconds(parts.replica_syncing_ns - parts.replica_sync_ns)});
    }
  }
  table.chart->value_keys.insert(at(table.chart->value_keys, 2), "replica_sync_s");
  table.chart->value_kinds.insert(at(table.chart->value_kinds, 2), "synchronization");
}

Table steps_table(const std::vector<DeviceSteps>& devices) {
  Table table;
  table.id = "steps";
  table.title = "Steps";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"step", "step", CellFormat::text, "", "Name of the step's NVTX range"},
      {"time_s", "time", CellFormat::quantity, "s",
       "From the end of the previous step's last activity to the end of its own"},
      {"kernels_s", "kernels", CellFormat::quantity, "s", "Time in which a kernel computed"},
      {"communication_s", "exposed comm.", CellFormat::quantity, "s",
       "Time in which only collectives ran"},
      {"communication_hidden_s", "hidden comm.", CellFormat::quantity, "s",
       "Time in which collectives and other kernels ran"},
      {"memcpy_memset_s", "memcpy, memset", CellFormat::quantity, "s",
       "Time in which only memcpys and memsets ran"},
      {"idle_s", "idle", CellFormat::quantity, "s", "Time in which nothing ran"},
      {"typical", "typical", CellFormat::text, "",
       "yes: within 10 % of the median step time; counters read: slowed down by reading hardware "
       "counters"},
  };
  table.chart = Chart{.kind = ChartKind::stacked_bars,
                      .selection = "the typical steps",
                      .label_keys = {"device", "step"},
                      .value_keys = {"kernels_s", "communication_s", "memcpy_memset_s", "idle_s"},
                      .total_key = "time_s",
                      .value_kinds = {"kernels", "communication", "memcpy_memset", "idle"}};
  for (const DeviceSteps& device : devices) {
    for (std::size_t i = 0; i < device.parts.size(); ++i) {
      const TimeParts& parts = device.parts[i];
      std::int64_t kernels_ns = 0;
      for (const auto& [name, ns] : parts.class_ns) kernels_ns += ns;
      const bool typical = std::binary_search(device.typical.begin(), device.typical.end(), i);
      if (typical) table.chart->rows.push_back(table.rows.size());
      table.rows.push_back(
          {std::int64_t{device.device_id}, device.steps[i].name, seconds(parts.total_ns),
           seconds(kernels_ns), seconds(parts.communication_ns + parts.arrival_ns),
           seconds(parts.communicating_ns - parts.communication_ns - parts.arrival_ns),
           seconds(parts.copy_ns), seconds(parts.idle_total_ns()),
           std::string(typical                        ? "yes"
                       : device.steps[i].readings > 0 ? "counters read"
                                                      : "no")});
    }
  }
  if (has_replica_sync(devices)) add_replica_sync(table, devices);
  return table;
}

// "other 968 ms, memcpy 45.0 ms": the classes with most of a phase's busy time.
std::string largest_classes(const Phase& phase) {
  constexpr std::size_t kMaxClasses = 3;
  std::vector<std::pair<OperationClass, std::int64_t>> classes(phase.class_ns.begin(),
                                                               phase.class_ns.end());
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxClasses, classes.size()); ++i) {
    text += (i == 0 ? "" : ", ") + classes[i].first.name() + " " +
            format_si(seconds(classes[i].second), "s");
  }
  return text;
}

using DevicePhases = std::vector<std::pair<std::int32_t, std::vector<Phase>>>;  // by device

DevicePhases phases_of(const RunAnalysis& run, const std::vector<DeviceSteps>& devices) {
  DevicePhases all;
  for (const DeviceSteps& device : devices) {
    std::vector<Phase> phases = run_phases(run, device);
    if (!phases.empty()) all.emplace_back(device.device_id, std::move(phases));
  }
  return all;
}

Table phases_table(const DevicePhases& devices) {
  Table table;
  table.id = "phases";
  table.title = "Phases of the run";
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"phase", "phase", CellFormat::text, "", "Part of the run"},
      {"steps", "steps", CellFormat::count, "", "Number of steps"},
      {"time_s", "time", CellFormat::quantity, "s", "Time of the phase; the phases add up"},
      {"share", "share", CellFormat::fraction, "", "Share of the time from first to last activity"},
      {"busy_s", "GPU busy", CellFormat::quantity, "s", "Time in which something ran"},
      {"launches", "launches", CellFormat::count, "", "Kernels, memcpys, memsets and graphs"},
      {"classes", "most busy time", CellFormat::text, "", "Classes with the most busy time"},
      {"meaning", "meaning", CellFormat::text, "", "Definition of the phase"},
  };
  for (const auto& [device_id, phases] : devices) {
    std::int64_t total_ns = 0;
    for (const Phase& phase : phases) total_ns += phase.total_ns;
    for (const Phase& phase : phases) {
      const bool has_steps = phase.steps > 0;
      table.rows.push_back(
          {std::int64_t{device_id}, std::string(info(phase.kind).label),
           has_steps ? Cell(static_cast<std::int64_t>(phase.steps)) : Cell(),
           seconds(phase.total_ns), quotient(seconds(phase.total_ns), seconds(total_ns)),
           seconds(phase.busy_ns), phase.launches, text_cell(largest_classes(phase)),
           std::string(info(phase.kind).description)});
    }
  }
  return table;
}

// " Start-up before the first step takes 2.95 s, with the GPU busy for 301 ms (memcpy 78.0 ms)."
std::string start_up_text(const DevicePhases& devices) {
  std::string text;
  for (const auto& [device_id, phases] : devices) {
    const Phase& first = phases.front();
    if (first.kind != PhaseKind::start_up || first.busy_ns == 0) continue;
    text += " Start-up of GPU " + std::to_string(device_id) + " before the first step takes " +
            format_si(seconds(first.total_ns), "s") + ", with the GPU busy for " +
            format_si(seconds(first.busy_ns), "s") + " (" + largest_classes(first) +
            "); no value per step includes it.";
  }
  return text;
}

std::string summary(const std::vector<DeviceSteps>& devices) {
  if (devices.empty()) return "The profile has no kernels.";
  std::string text;
  for (const DeviceSteps& device : devices) {
    const TimeParts& parts = device.typical_parts;
    const double total = static_cast<double>(parts.total_ns);
    text += (text.empty() ? "" : " ") + std::string("GPU ") + std::to_string(device.device_id) +
            ": " + format_number_of(static_cast<std::int64_t>(device.steps.size()), "step") + " (" +
            device.how + ")";
    if (device.disturbed > 0) {
      text += ", " + format_whole(device.disturbed) + " of them slowed down by reading counters";
    }
    if (!(total > 0)) {
      text += "; the undisturbed step time is not available.";
      continue;
    }
    const auto typical = static_cast<std::int64_t>(device.typical.size());
    text += "; " + format_number_of(typical, "typical step") +
            (typical == 1 ? " takes " : " take ") + format_si(device.mean_step_s(), "s") +
            (typical == 1 ? ": idle " : " each: idle ") +
            format_percent(static_cast<double>(parts.idle_total_ns()) / total) +
            ", exposed communication " +
            format_percent(static_cast<double>(parts.communication_ns + parts.arrival_ns) / total);
    if (parts.replica_syncing_ns > 0) {
      text += ", synchronization of replicas " +
              format_percent(static_cast<double>(parts.replica_syncing_ns) / total) + " (" +
              format_percent(static_cast<double>(parts.replica_sync_ns) / total) + " exposed)";
    }
    if (parts.copy_ns > 0) {
      text += ", exposed memcpy and memset " +
              format_percent(static_cast<double>(parts.copy_ns) / total);
    }
    text += ".";
  }
  return text;
}

Finding steps(const RunAnalysis& run) {
  const std::vector<DeviceSteps>& devices = named_step_times(run);
  Finding finding;
  finding.id = "steps";
  finding.title = "Steps";
  finding.summary = summary(devices);
  if (devices.empty()) return finding;
  const DevicePhases phases = phases_of(run, devices);
  finding.summary += start_up_text(phases);
  finding.tables = {parts_table(devices), steps_table(devices)};
  if (!phases.empty()) finding.tables.push_back(phases_table(phases));
  return finding;
}

}  // namespace

void register_steps(AnalysisRegistry& registry) {
  registry.add({.name = "steps",
                .summary = "Step time breakdown: kernels, exposed communication, idle causes",
                .order = 15,
                .run = steps});
}

}  // namespace mansard::analysis
