// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/compare/compare_runs.h"
#include "analyzer/steps/step_times.h"
#include "analyzer/steps/typical_step.h"
#include "collector/store/tables.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// SM clocks that differ by more explain differences of compute-bound kernels by themselves.
constexpr double kSameClock = 0.01;

std::set<std::int32_t> used_devices(const store::Profile& profile) {
  std::set<std::int32_t> used;
  for (const store::KernelRecord& kernel : profile.kernels) used.insert(kernel.device_id);
  for (const store::GraphRecord& graph : profile.graphs) used.insert(graph.device_id);
  used.erase(store::kNoId);  // a graph that ran on the host
  return used;
}

// What is known of the GPUs that the run used, and not of the machine's others.
struct UsedGpus {
  std::size_t count = 0;
  std::set<std::string> names;
  std::set<std::string> uuids;
  // Mean SM clock in typical steps; with too few samples there, in the undisturbed part of the run.
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
  text += ", " + format_percent(std::fabs(off)) + (slower ? " slower" : " faster");
  return text + ": kernels bound by compute take up to " +
         format_percent(std::fabs(a_hz / b_hz - 1)) + (slower ? " longer" : " less time") +
         " in B by that alone.";
}

void add_machine_notes(const RunAnalysis& a, const RunAnalysis& b,
                       std::vector<std::string>& notes) {
  const UsedGpus gpus_a = used_gpus(a);
  const UsedGpus gpus_b = used_gpus(b);
  const auto differ = [](const std::set<std::string>& x, const std::set<std::string>& y) {
    return !x.empty() && !y.empty() && x != y;
  };
  if (gpus_a.count != gpus_b.count) {
    notes.push_back("Run A used " + std::to_string(gpus_a.count) + " and run B " +
                    std::to_string(gpus_b.count) + " GPUs.");
  }
  if (differ(gpus_a.names, gpus_b.names)) {
    notes.push_back("The runs are of different GPUs: " + joined(gpus_a.names) + " and " +
                    joined(gpus_b.names) + ". Differences are those of the machines too.");
  } else if (gpus_a.count == gpus_b.count && differ(gpus_a.uuids, gpus_b.uuids)) {
    notes.push_back("The runs are of different cards of one kind (" + joined(gpus_a.names) +
                    "), which may differ by a few per cent under load.");
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
        "The clocks of the GPUs are not known of both runs, so a difference of clocks cannot be "
        "told from one of the kernels.");
  }
}

void add_recording_notes(const RunAnalysis& run, const char* which,
                         std::vector<std::string>& notes) {
  const store::SessionInfo& session = run.profile.session;
  const std::string name = "Run " + std::string(which) + " (" + run.title + ")";
  if (session.state == store::RecordingState::interrupted ||
      session.state == store::RecordingState::recording) {
    notes.push_back(name + " was not recorded to its end.");
  }
  if (session.dropped_events > 0) {
    notes.push_back(name + " lacks " + std::to_string(session.dropped_events) +
                    " events that were lost.");
  }
  if (!session.windows.empty()) {
    notes.push_back(name + " holds " + store::describe_windows(session) + ".");
  }
  if (!run.profile.graphs.empty()) {
    notes.push_back(name + " holds " + std::to_string(run.profile.graphs.size()) +
                    " launches of CUDA graphs that were recorded as a whole. What is in them is "
                    "not known, and they count together as '" +
                    std::string(kGraphs) +
                    "'. If you can run the program yourself, record their kernels with " +
                    (session.state == store::RecordingState::foreign
                         ? "`nsys profile --cuda-graph-trace=node`."
                         : "`mansard profile --cuda-graph-trace node`."));
  }
  if (run.busy_s <= 0) notes.push_back(name + " holds no kernels and no annotated host work.");
}

}  // namespace

std::vector<std::string> comparison_notes(const RunAnalysis& a, const RunAnalysis& b) {
  std::vector<std::string> notes;
  const bool gpu_a = !used_devices(a.profile).empty();
  const bool gpu_b = !used_devices(b.profile).empty();
  if (gpu_a && gpu_b) add_machine_notes(a, b, notes);
  if (gpu_a != gpu_b) {
    notes.push_back("Only one of the runs used a GPU: these are not runs of one program.");
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
