// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "analyzer/run_notes.h"
#include "collector/store/global_ids.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMaxDiagnostics = 8;  // keeps the notes readable

void add_state(const store::SessionInfo& session, std::vector<std::string>& notes) {
  switch (session.state) {
    case store::RecordingState::complete:
      return;
    case store::RecordingState::recording:
      notes.emplace_back("The program is still being profiled: later activity is missing.");
      return;
    case store::RecordingState::interrupted:
      notes.emplace_back(
          "The recording was interrupted before the program ended: up to one second of activity "
          "before that point, and everything after it, is missing.");
      return;
    case store::RecordingState::foreign:
      notes.emplace_back(
          "The profile was written by another tool; it is unknown whether the recording is "
          "complete.");
      return;
  }
}

void add_diagnostics(const store::Profile& profile, std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::size_t>> texts;  // distinct, in order, with their count
  for (const store::DiagnosticRecord& diagnostic : profile.diagnostics) {
    if (diagnostic.severity < store::Severity::warning) continue;
    const auto known = std::find_if(texts.begin(), texts.end(), [&](const auto& entry) {
      return entry.first == diagnostic.text;
    });
    if (known != texts.end()) {
      ++known->second;
    } else {
      texts.emplace_back(diagnostic.text, 1);
    }
  }
  const std::size_t shown = std::min(texts.size(), kMaxDiagnostics);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [text, count] = texts[i];
    notes.push_back("Collector: " + text +
                    (count > 1 ? " (" + format_whole(count) + " times)" : ""));
  }
  if (texts.size() > shown) {
    notes.push_back("Collector: " + format_whole(texts.size() - shown) +
                    " more diagnostics are in table DIAGNOSTIC_EVENT of the profile.");
  }
}

void add_device_notes(const store::Profile& profile, std::vector<std::string>& notes) {
  std::size_t without_times = 0;
  std::size_t in_graphs = 0;
  std::set<std::int32_t> devices;
  for (const store::KernelRecord& kernel : profile.kernels) {
    if (!store::has_times(kernel.start_ns, kernel.end_ns)) ++without_times;
    if (kernel.graph_node_id != 0) ++in_graphs;
    devices.insert(kernel.device_id);
  }
  if (without_times > 0) {
    notes.push_back("Kernel records without time stamps, counted with zero time: " +
                    std::to_string(without_times) + ".");
  }
  if (in_graphs > 0 && profile.graph_nodes.empty()) {
    notes.push_back(
        "Kernels launched by CUDA graphs, which cannot be matched to annotated ranges, as the "
        "profile does not record where the graphs were created: " +
        std::to_string(in_graphs) + ".");
  }
  if (devices.size() > 1) {
    notes.push_back("Kernels ran on " + std::to_string(devices.size()) +
                    " devices; all use the ceilings of the busiest one.");
  }
}

}  // namespace

void add_recording_notes(const store::Profile& profile, std::vector<std::string>& notes) {
  add_state(profile.session, notes);
  if (const std::string windows = store::describe_windows(profile.session); !windows.empty()) {
    notes.push_back("Only part of the program was recorded: " + windows + '.');
  }
  if (profile.session.dropped_events > 0) {
    notes.push_back("Dropped events: " + format_whole(profile.session.dropped_events) +
                    ". Launch counts and total times are too low.");
  }
  add_diagnostics(profile, notes);
  add_device_notes(profile, notes);

  std::set<std::int64_t> processes;
  for (const store::ApiRecord& call : profile.api_calls)
    processes.insert(store::process_key(call.global_tid));
  if (processes.size() > 1 && !profile.correlations_unique) {
    notes.push_back("The profile has " + std::to_string(processes.size()) +
                    " processes, whose correlation ids can collide: kernels may be matched to "
                    "another process's ranges. If you can run the program yourself, `mansard "
                    "profile` writes one file per process.");
  }
}

}  // namespace mansard::analysis
