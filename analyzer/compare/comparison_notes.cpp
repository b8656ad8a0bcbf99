// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/compare/compare_runs.h"
#include "analyzer/steps/step_times.h"
#include "analyzer/steps/typical_step.h"
#include "collector/store/tables.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// A larger relative difference of SM clocks is reported as a cause of time differences.
constexpr double kSameClock = 0.01;

std::set<std::int32_t> used_devices(const store::Profile& profile) {
  std::set<std::int32_t> used;
  for (const store::KernelRecord& kernel : profile.kernels) used.insert(kernel.device_id);
  for (const store::GraphRecord& graph : profile.graphs) used.insert(graph.device_id);
  used.erase(store::kNoId);  // a graph that ran on the host
  return used;
}

// The GPUs that the run used; other GPUs of the machine are ignored.
struct UsedGpus {
  std::size_t count = 0;
  std::set<std::string> names;
  std::set<std::string> uuids;
  // Mean SM clock in typical steps or, if these have too few samples, in the undisturbed part of
  // the run.
  double mean_clock_hz = 0;  // 0: not sampled
};

UsedGpus used_gpus(const RunAnalysis& run) {
  const store::Profile& profile = run.profile;
  const std::set<std::int32_t> used = used_devices(profile);
  UsedGpus out;
  out.count = used.size();
  for (const store::GpuRecord& gpu : profile.gpus) {
    if (!used.contains(gpu.id)) continue;
    if (!gpu.name.empty()) out.names.insert(gpu.name);
    if (!gpu.uuid.empty()) out.uuids.insert(gpu.uuid);
  }
  if (const auto clock = state_in_typical_steps(profile, step_times(run)).sm_clock_hz) {
    out.mean_clock_hz = *clock;
    return out;
  }
  double sum_hz = 0;
  double samples = 0;
  for (const store::DeviceStateSample& sample : profile.device_states) {
    if (!sample.sm_clock_hz || !used.contains(sample.device_id)) continue;
    if (run.disturbed.contains(sample.timestamp_ns)) continue;
    sum_hz += *sample.sm_clock_hz;
    samples += 1;
  }
  if (samples > 0) out.mean_clock_hz = sum_hz / samples;
  return out;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string clock_note(double a_hz, double b_hz) {
  std::string text =
      "Mean SM clock: " + format_si(a_hz, "Hz") + " in A and " + format_si(b_hz, "Hz") + " in B";
  const double off = b_hz / a_hz - 1;
  if (std::fabs(off) <= kSameClock) return text + ".";
  const bool slower = off < 0;
  text += ", " + format_percent(std::fabs(off)) + (slower ? " lower" : " higher");
  return text + ". This alone makes compute-bound kernels up to " +
         format_percent(std::fabs(a_hz / b_hz - 1)) + (slower ? " slower" : " faster") + " in B.";
}

void add_machine_notes(const RunAnalysis& a, const RunAnalysis& b,
                       std::vector<std::string>& notes) {
  const UsedGpus gpus_a = used_gpus(a);
  const UsedGpus gpus_b = used_gpus(b);
  const auto differ = [](const std::set<std::string>& x, const std::set<std::string>& y) {
    return !x.empty() && !y.empty() && x != y;
  };
  if (gpus_a.count != gpus_b.count) {
    notes.push_back("Number of used GPUs: " + std::to_string(gpus_a.count) + " in A, " +
                    std::to_string(gpus_b.count) + " in B.");
  }
  if (differ(gpus_a.names, gpus_b.names)) {
    notes.push_back("The runs used different GPUs: " + joined(gpus_a.names) + " and " +
                    joined(gpus_b.names) + ". Differences include those between the machines.");
  } else if (gpus_a.count == gpus_b.count && differ(gpus_a.uuids, gpus_b.uuids)) {
    notes.push_back("The runs used different cards of the same model (" + joined(gpus_a.names) +
                    "), which may differ by a few percent under load.");
  }
  const std::string& driver_a = a.profile.session.driver_version;
  const std::string& driver_b = b.profile.session.driver_version;
  if (!driver_a.empty() && !driver_b.empty() && driver_a != driver_b) {
    notes.push_back("Drivers differ: " + driver_a + " and " + driver_b + ".");
  }
  if (gpus_a.mean_clock_hz > 0 && gpus_b.mean_clock_hz > 0) {
    notes.push_back(clock_note(gpus_a.mean_clock_hz, gpus_b.mean_clock_hz));
  } else {
    notes.push_back(
        "SM clocks were not sampled in both runs, so clock differences cannot be distinguished "
        "from kernel differences.");
  }
}

void add_recording_notes(const RunAnalysis& run, const char* which,
                         std::vector<std::string>& notes) {
  const store::SessionInfo& session = run.profile.session;
  const std::string name = "Run " + std::string(which) + " (" + run.title + ")";
  if (session.state == store::RecordingState::interrupted ||
      session.state == store::RecordingState::recording) {
    notes.push_back(name + " is incomplete: the recording did not finish.");
  }
  if (session.dropped_events > 0) {
    notes.push_back(name + " is incomplete: " + format_whole(session.dropped_events) +
                    " events were dropped.");
  }
  if (!session.windows.empty()) {
    notes.push_back(name + " contains " + store::describe_windows(session) + ".");
  }
  if (!run.profile.graphs.empty()) {
    notes.push_back(name + " contains " + format_whole(run.profile.graphs.size()) +
                    " CUDA graph launches recorded without their kernels. They are compared in "
                    "total, as '" +
                    std::string(kGraphs) + "'. To record their kernels, run the program with " +
                    (session.state == store::RecordingState::foreign
                         ? "`nsys profile --cuda-graph-trace=node`."
                         : "`mansard profile --cuda-graph-trace node`."));
  }
  if (run.busy_s <= 0) notes.push_back(name + " contains no kernels and no annotated host work.");
}

}  // namespace

std::vector<std::string> comparison_notes(const RunAnalysis& a, const RunAnalysis& b) {
  std::vector<std::string> notes;
  const bool gpu_a = !used_devices(a.profile).empty();
  const bool gpu_b = !used_devices(b.profile).empty();
  if (gpu_a && gpu_b) add_machine_notes(a, b, notes);
  if (gpu_a != gpu_b) {
    notes.push_back("Only one of the runs used a GPU, so they are not runs of the same program.");
  }
  if (!a.profile.session.command.empty() && !b.profile.session.command.empty() &&
      a.profile.session.command != b.profile.session.command) {
    notes.push_back("Commands differ: `" + a.profile.session.command + "` and `" +
                    b.profile.session.command + "`.");
  }
  add_recording_notes(a, "A", notes);
  add_recording_notes(b, "B", notes);
  return notes;
}

}  // namespace mansard::analysis
