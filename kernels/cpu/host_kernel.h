// SPDX-License-Identifier: Apache-2.0
// What every host ceiling shares: one pinned thread a core, the team's own time, the clock seen.
#pragma once

#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/device/core_clock.h"
#include "kernels/device/host_topology.h"
#include "kernels/device/thread_team.h"
#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard {

class HostKernel : public PreparedKernel {
 public:
  // Mean over the cores: the theory of the whole is the sum of theirs.
  double elapsed_cycles() override {
    return elapsed_s_ * std::accumulate(clock_hz_.begin(), clock_hz_.end(), 0.0) /
           static_cast<double>(clock_hz_.size());
  }

  double elapsed_device_s() override { return elapsed_s_; }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = {
        {"instruction_set", std::string(to_string(loops_.set))},
        {"threads", std::to_string(team_.size())}};
#ifndef __OPTIMIZE__
    all["build"] = "without compiler optimisation: not a ceiling";
#endif
    return all;
  }

 protected:
  explicit HostKernel(const VectorLoops& loops)
      : loops_(loops),
        team_(read_host_topology().cpus),
        clock_hz_(static_cast<std::size_t>(team_.size())) {}

  // Each thread measures its clock straight after its share of the work, outside the time.
  void run_timed(const ThreadTeam::Body& body) {
    elapsed_s_ = team_.run(body, [this](int thread) {
      clock_hz_[static_cast<std::size_t>(thread)] = measure_core_clock_hz();
    });
  }

  ThreadTeam& team() { return team_; }
  int threads() const { return team_.size(); }
  const VectorLoops& loops() const { return loops_; }

 private:
  VectorLoops loops_;
  ThreadTeam team_;
  std::vector<double> clock_hz_;
  double elapsed_s_ = 0;
};

// Empty when `device` is a host whose instruction set this CPU runs, else why not.
inline std::string unsupported_on_host(const DeviceInfo& device) {
  if (device.target != Target::host) return "runs on the host";
  const std::optional<InstructionSet> set = parse_instruction_set(device.instruction_set);
  if (!set) return "unknown instruction set '" + device.instruction_set + "'";
  for (const InstructionSet supported : supported_instruction_sets()) {
    if (supported == *set) return "";
  }
  return "this CPU or build does not run " + device.instruction_set + " code";
}

// The loops `device.instruction_set` names, which may be narrower than the CPU's widest. Throws
// std::runtime_error when the CPU does not run them.
inline const VectorLoops& loops_for(const DeviceInfo& device) {
  const std::string reason = unsupported_on_host(device);
  if (!reason.empty()) {
    throw std::runtime_error("cannot prepare a host kernel on '" + device.name + "': " + reason);
  }
  return vector_loops(*parse_instruction_set(device.instruction_set));
}

}  // namespace mansard
