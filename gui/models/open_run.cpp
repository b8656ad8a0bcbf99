// SPDX-License-Identifier: Apache-2.0
#include "gui/models/open_run.h"

#include <future>

#include "collector/store/host_names.h"
#include "reports/figure/timeline.h"

namespace mansard::gui {

bool same_recording(const OpenRun* a, const OpenRun* b) {
  if (a == nullptr || b == nullptr) return false;
  const std::filesystem::path& file = a->analysis.profile.file;
  return a == b || (!file.empty() && file == b->analysis.profile.file);
}

std::shared_ptr<const OpenRun> preview(const analysis::RunAnalysis& analysis) {
  auto look = std::make_shared<OpenRun>();
  look->is_first_look = true;
  analysis::RunAnalysis& run = look->analysis;
  run.profile.file = analysis.profile.file;
  run.title = analysis.title;
  run.machine = analysis.machine;
  run.machine_provenance = analysis.machine_provenance;
  run.rows = analysis.rows;
  for (analysis::KernelRow& row : run.rows) {
    row.launch_indices = {};
    row.disturbed_indices = {};
  }
  run.points = analysis.points;
  run.options = analysis.options;
  run.all_disturbed = analysis.all_disturbed;
  run.busy_s = analysis.busy_s;
  run.span_s = analysis.span_s;
  run.notes = analysis.notes;
  return look;
}

namespace {

// Empty if the file has no ranks, or cannot be read any more: the run was loaded without them.
std::unordered_map<std::int64_t, int> ranks_of(const std::filesystem::path& file) {
  try {
    return std::filesystem::exists(file) ? store::read_host_names(file).ranks
                                         : std::unordered_map<std::int64_t, int>();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

std::shared_ptr<const OpenRun> prepare_run(analysis::RunAnalysis analysis,
                                           const store::LoadControl& control) {
  auto run = std::make_shared<OpenRun>();
  run->analysis = std::move(analysis);
  control.report("Laying out the timeline", 0);
  std::future<std::vector<analysis::DeviceSteps>> steps =
      std::async(std::launch::async, [&] { return analysis::step_times(run->analysis); });
  std::future<analysis::LaunchRanges> ranges = std::async(std::launch::async, [&] {
    return analysis::LaunchRanges(run->analysis.profile, run->analysis.options.step_range);
  });
  std::future<void> answer = std::async(std::launch::async, [&] {
    run->unit.emplace(run->analysis);
    run->answer.emplace(run->analysis, *run->unit);
  });
  run->launches = launch_columns(run->analysis);
  control.check();
  run->timeline = figure::timeline_awaiting_steps(run->analysis, [&] {
    run->steps = steps.get();
    control.report("Laying out the timeline", 0.6);
    return run->steps;
  });
  run->timeline.ranks = ranks_of(run->analysis.profile.file);
  run->ranges = ranges.get();
  answer.get();
  return run;
}

}  // namespace mansard::gui
