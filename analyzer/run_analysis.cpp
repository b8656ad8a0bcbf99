// SPDX-License-Identifier: Apache-2.0
#include "analyzer/run_analysis.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/controlled_analysis.h"
#include "analyzer/cut_graphs.h"
#include "analyzer/kernel_rows.h"
#include "analyzer/launch_table.h"
#include "analyzer/machine_choice.h"
#include "analyzer/numerics/training_curve.h"
#include "analyzer/run_notes.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// The device with the most kernel time; without kernels, that of the first graph, memcpy or memset.
std::int32_t busiest_device(const store::Profile& profile) {
  std::unordered_map<std::int32_t, std::int64_t> time_ns;
  for (const store::KernelRecord& kernel : profile.kernels) {
    time_ns[kernel.device_id] +=
        store::has_times(kernel.start_ns, kernel.end_ns) ? kernel.end_ns - kernel.start_ns : 0;
  }
  if (time_ns.empty()) {
    if (!profile.graphs.empty()) return profile.graphs.front().device_id;
    return !profile.memcpys.empty() ? profile.memcpys.front().device_id
                                    : profile.memsets.front().device_id;
  }
  return std::max_element(time_ns.begin(), time_ns.end(),
                          [](const auto& a, const auto& b) {
                            return a.second != b.second ? a.second < b.second : a.first > b.first;
                          })
      ->first;
}

// Sorts small keys and moves each row once, as rows are large and can be many.
std::vector<KernelRow> by_falling_time(std::vector<KernelRow> rows) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(-rows[i].time_s, i);
  std::sort(order.begin(), order.end());
  std::vector<KernelRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [time_s, i] : order) sorted.push_back(std::move(rows[i]));
  return sorted;
}

void set_shares(std::vector<KernelRow>& rows) {
  double total_s = 0;
  for (const KernelRow& row : rows) total_s += row.time_s;
  for (KernelRow& row : rows) row.share = total_s > 0 ? row.time_s / total_s : 0;
}

// A memcpy or memset takes at least about 1 µs. Below that, without a launch ceiling, bandwidth
// does not give a meaningful SOL time.
constexpr double kShortestOperation_s = 1e-6;

// The SOL time of a row without known FLOPs or bytes stays unknown: the launch time would be its
// only term, and a kernel of 1 ms would seem hundreds of times too slow.
void set_limit(KernelRow& row, const roofline::DeviceModel& machine) {
  if (row.origin == WorkOrigin::none || row.launches == 0) return;
  row.sol = speed_of_light(row.work, machine, row.link_ceiling);
  if (is_memory_operation(row) && !(row.sol.launch_s > 0) &&
      row.sol.time_s < kShortestOperation_s * static_cast<double>(row.launches)) {
    row.sol = {};
  }
  row.cost_s = std::max(row.time_s, row.sol.launch_s);
  if (row.sol.time_s > 0) row.slowdown = row.cost_s / row.sol.time_s;
}

std::vector<RooflinePoint> roofline_points(const std::vector<KernelRow>& rows,
                                           kernels::Target target) {
  std::vector<RooflinePoint> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double flop = rows[i].work.total_flop();
    if (rows[i].target != target || !(flop > 0) || !(rows[i].time_s > 0)) continue;
    for (const auto& [level, bytes] : rows[i].work.bytes) {
      if (bytes > 0) points.push_back({i, level, flop / bytes, flop / rows[i].time_s});
    }
  }
  return points;
}

// If counters were read all the time, no undisturbed time exists: all launches are then included.
void set_disturbed(RunAnalysis& run) {
  run.disturbed = DisturbedTime(run.profile, run.steps);
  if (!run.disturbed.any()) return;
  run.all_disturbed = std::none_of(run.profile.kernels.begin(), run.profile.kernels.end(),
                                   [&](const store::KernelRecord& kernel) {
                                     return store::has_times(kernel.start_ns, kernel.end_ns) &&
                                            !run.disturbed.contains(kernel.start_ns);
                                   });
}

}  // namespace

std::string_view to_string(WorkOrigin origin) {
  switch (origin) {
    case WorkOrigin::none:
      return "none";
    case WorkOrigin::annotated:
      return "annotated";
    case WorkOrigin::counted:
      return "counters";
    case WorkOrigin::counted_rate:
      return "counters, as a rate";
    case WorkOrigin::divided:
      return "counters of the graph, divided";
    case WorkOrigin::annotated_and_counted:
      return "annotation and counters";
    case WorkOrigin::modeled:
      return "shapes";
    case WorkOrigin::modeled_and_counted:
      return "counters and shapes";
    case WorkOrigin::recorded:
      return "record";
  }
  return "none";
}

std::string device_name(const RunAnalysis& run) {
  if (run.machine) return run.machine->device.name;
  if (!run.profile.gpus.empty()) return run.profile.gpus.front().name;
  return run.profile.session.cpu_name;
}

bool has_step_times(const RunAnalysis& run) {
  return std::ranges::any_of(run.rows, [](const KernelRow& row) { return row.step_time_s > 0; });
}

void set_unit_values(RunAnalysis& run) {
  const RunUnit unit(run);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    KernelRow& row = run.rows[i];
    row.saving_s = unit.saving_s(i).value_or(0);
    if (unit.name() != "step") continue;
    row.step_time_s = unit.time_s(i);
    row.step_share = unit.time_s() > 0 ? row.step_time_s / unit.time_s() : 0;
    row.step_launches = unit.launches(i);
    row.step_sol_s = unit.per_unit(i, row.sol.time_s);
  }
}

RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options) {
  return analyze_run(std::move(profile), machines, options, {});
}

RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options, const store::LoadControl& control) {
  constexpr std::string_view kStage = "Analyzing the kernels";
  control.report(kStage, 0);
  RunAnalysis run;
  run.profile = std::move(profile);
  run.title = run.profile.file.stem().string();
  add_recording_notes(run.profile, run.notes);
  if (const std::size_t cut = remove_cut_graphs(run.profile); cut > 0) {
    run.notes.push_back(
        format_number_of(static_cast<std::int64_t>(cut), "kernel") +
        " of CUDA graphs that were running when recording stopped are left out, because "
        "CUPTI reported wrong end times for them.");
  }

  const KernelRules& rules = options.rules != nullptr ? *options.rules : kernel_rules();
  LaunchTable launches(run.profile);
  run.options = options;
  run.options.rules = nullptr;  // they need not live as long as the result
  try {
    run.steps = find_steps_of_devices(run.profile, launches, options.step_range);
  } catch (const std::invalid_argument& e) {
    run.steps_obstacle = e.what();
    run.notes.push_back("No range name starts with '" + options.step_range +
                        "'; steps were found without it.");
    run.steps = find_steps_of_devices(run.profile, launches);
  }
  control.report(kStage, 0.2);
  const WorkSources sources(run.profile, launches, rules, run.steps);
  control.report(kStage, 0.5);
  std::vector<std::string> annotation_notes;
  add_annotation_notes(run.profile, sources.attribution, sources.names, sources.shares, rules,
                       annotation_notes);

  set_disturbed(run);
  run.rows = device_rows(sources, run.disturbed, run.all_disturbed);
  for (KernelRow& row : memory_rows(run.profile, run.disturbed, run.all_disturbed)) {
    run.rows.push_back(std::move(row));
  }
  std::vector<KernelRow> host =
      host_rows(run.profile, sources.attribution, rules, run.disturbed, run.all_disturbed);
  control.report(kStage, 0.8);
  const bool on_device = has_device_activity(run.profile);
  const bool on_host = !host.empty();
  std::move(host.begin(), host.end(), std::back_inserter(run.rows));
  run.rows = by_falling_time(std::move(run.rows));
  set_shares(run.rows);

  // Host rows of a GPU run use the CPU's own ceilings, if there are any.
  std::optional<roofline::DeviceModel> host_machine;
  std::vector<std::string> machine_notes;
  if (on_host) {
    MachineChoice choice = choose_host(run.profile, machines);
    host_machine = choice.device;
    if (!on_device) {
      run.machine_provenance = std::move(choice.provenance);
      run.machine = host_machine;
    }
    if (!choice.note.empty()) machine_notes.push_back(std::move(choice.note));
  }
  if (on_device) {
    MachineChoice choice = choose_gpu(run.profile, machines, busiest_device(run.profile));
    run.machine = std::move(choice.device);
    run.machine_provenance = std::move(choice.provenance);
    if (!choice.note.empty()) machine_notes.push_back(std::move(choice.note));
  }
  if (!run.machine && !machine_notes.empty()) run.machine_obstacle = machine_notes.back();
  for (KernelRow& row : run.rows) {
    const std::optional<roofline::DeviceModel>& machine =
        row.target == kernels::Target::host ? host_machine : run.machine;
    row.cost_s = row.time_s;
    if (machine) set_limit(row, *machine);
  }
  run.points = roofline_points(run.rows, on_device ? kernels::Target::cuda : kernels::Target::host);

  if (!run.all_disturbed) {
    const Activity activity = on_device ? device_activity(run.profile, run.disturbed)
                                        : range_activity(sources.attribution);
    run.busy_s = activity.busy_s;
    run.span_s = activity.span_s;
  }
  run.launch_memo = std::make_shared<LaunchTableMemo>(std::move(launches));
  set_unit_values(run);
  // Notes on all times come first, then those on SOL times, then those on single ranges.
  add_disturbance_notes(run, run.notes);
  std::ranges::move(machine_notes, std::back_inserter(run.notes));
  if (!is_training_record(run)) add_row_notes(run, run.notes);
  std::ranges::move(annotation_notes, std::back_inserter(run.notes));
  return run;
}

}  // namespace mansard::analysis
