// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/compare/compare_runs.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

// SM clocks that differ by more explain differences of compute-bound kernels by themselves.
constexpr double kSameClock = 0.01;

std::string gpu_names(const Profile& profile) {
  std::set<std::int32_t> used;
  for (const KernelRecord& kernel : profile.kernels) used.insert(kernel.device_id);
  std::string text;
  for (const GpuRecord& gpu : profile.gpus) {
    if (!used.empty() && !used.contains(gpu.id)) continue;
    text += (text.empty() ? "" : ", ") + gpu.name;
  }
  return text;
}

std::set<std::string> gpu_uuids(const Profile& profile) {
  std::set<std::string> uuids;
  for (const GpuRecord& gpu : profile.gpus) uuids.insert(gpu.uuid);
  return uuids;
}

// 0: not sampled.
double mean_clock_hz(const Profile& profile) {
  double sum_hz = 0;
  double count = 0;
  for (const DeviceStateSample& sample : profile.device_states) {
    if (!sample.sm_clock_hz) continue;
    sum_hz += *sample.sm_clock_hz;
    count += 1;
  }
  return count > 0 ? sum_hz / count : 0;
}

void add_machine_notes(const RunAnalysis& a, const RunAnalysis& b,
                       std::vector<std::string>& notes) {
  const std::string gpus_a = gpu_names(a.profile);
  const std::string gpus_b = gpu_names(b.profile);
  if (gpus_a != gpus_b) {
    notes.push_back("The runs are of different GPUs: " + gpus_a + " and " + gpus_b +
                    ". Differences are those of the machines too.");
  } else if (gpu_uuids(a.profile) != gpu_uuids(b.profile)) {
    notes.push_back("The runs are of different cards of one kind (" + gpus_a +
                    "), which may differ by a few per cent under load.");
  }
  const std::string& driver_a = a.profile.session.driver_version;
  const std::string& driver_b = b.profile.session.driver_version;
  if (!driver_a.empty() && !driver_b.empty() && driver_a != driver_b) {
    notes.push_back("Drivers differ: " + driver_a + " and " + driver_b + ".");
  }
  const double clock_a = mean_clock_hz(a.profile);
  const double clock_b = mean_clock_hz(b.profile);
  if (clock_a > 0 && clock_b > 0) {
    const bool same = std::fabs(clock_b / clock_a - 1) <= kSameClock;
    notes.push_back("SM clock in the mean: " + format_si(clock_a, "Hz") + " and " +
                    format_si(clock_b, "Hz") + " (" + format_percent(clock_b / clock_a) +
                    (same ? ")." : "): kernels bound by compute are slower by as much."));
  } else {
    notes.push_back(
        "The clocks of the GPUs are not known of both runs, so a difference of clocks cannot be "
        "told from one of the kernels.");
  }
}

void add_recording_notes(const RunAnalysis& run, const char* which,
                         std::vector<std::string>& notes) {
  const SessionInfo& session = run.profile.session;
  const std::string name = "Run " + std::string(which) + " (" + run.title + ")";
  if (session.state == RecordingState::interrupted || session.state == RecordingState::recording) {
    notes.push_back(name + " was not recorded to its end.");
  }
  if (session.dropped_events > 0) {
    notes.push_back(name + " lacks " + std::to_string(session.dropped_events) +
                    " events that were lost.");
  }
  if (!session.windows.empty()) {
    notes.push_back(name + " holds " + describe_windows(session) + ".");
  }
  if (run.rows.empty()) notes.push_back(name + " holds no kernels and no annotated host work.");
}

}  // namespace

std::vector<std::string> comparison_notes(const RunAnalysis& a, const RunAnalysis& b) {
  std::vector<std::string> notes;
  if (!a.profile.kernels.empty() && !b.profile.kernels.empty()) add_machine_notes(a, b, notes);
  if (a.profile.kernels.empty() != b.profile.kernels.empty()) {
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

}  // namespace mansard
