// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

void add_obstacles(const RunAnalysis& run, const char* which, std::vector<std::string>& obstacles) {
  const store::SessionInfo& session = run.profile.session;
  const std::string name = "run " + std::string(which) + " (" + run.title + ")";
  if (run.busy_s <= 0)
    obstacles.push_back(name + " contains no kernels and no annotated host work");
  if (session.state == store::RecordingState::interrupted ||
      session.state == store::RecordingState::recording) {
    obstacles.push_back(name + " is incomplete: the recording did not finish");
  }
  if (session.dropped_events > 0) {
    obstacles.push_back(name + " is incomplete: " + format_whole(session.dropped_events) +
                        " events were dropped");
  }
}

bool used_a_gpu(const store::Profile& profile) {
  return !profile.kernels.empty() || !profile.graphs.empty();
}

}  // namespace

std::vector<std::string> gate_obstacles(const RunAnalysis& a, const RunAnalysis& b) {
  std::vector<std::string> obstacles;
  add_obstacles(a, "A", obstacles);
  add_obstacles(b, "B", obstacles);
  const bool gpu_a = used_a_gpu(a.profile);
  if (obstacles.empty() && gpu_a != used_a_gpu(b.profile)) {
    obstacles.push_back(std::string("only run ") + (gpu_a ? "A" : "B") + " contains kernels");
  }
  return obstacles;
}

}  // namespace mansard::analysis
