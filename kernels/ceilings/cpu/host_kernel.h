// SPDX-License-Identifier: Apache-2.0
// Common parts of all host ceilings: one pinned thread per core, the team's time, the measured
// clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/core_clock.h"
#include "kernels/device/host_topology.h"
#include "kernels/device/thread_team.h"
#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

class HostKernel : public PreparedKernel {
 public:
  // Mean over the cores: the theoretical peak is the sum over the cores.
  double elapsed_cycles() override {
    return elapsed_s_ * std::accumulate(clock_hz_.begin(), clock_hz_.end(), 0.0) /
           static_cast<double>(clock_hz_.size());
  }

  double elapsed_device_s() override { return elapsed_s_; }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = {{"instruction_set", std::string(to_string(set_))},
                                              {"threads", std::to_string(team_.size())}};
#ifndef __OPTIMIZE__
    all["build"] = "without compiler optimization: not a ceiling";
#endif
    return all;
  }

 protected:
  // One thread on each of `cpus`.
  HostKernel(InstructionSet set, const std::vector<int>& cpus)
      : set_(set), team_(cpus), clock_hz_(static_cast<std::size_t>(team_.size())) {}

  // Each thread measures its clock directly after its share of the work, outside the time; if
  // `load` is set, after a few more microseconds of such work.
  void run_timed(const ThreadTeam::Body& body, const ThreadTeam::Body& load = {}) {
    elapsed_s_ = team_.run(body, [&](int thread) {
      std::function<void()> more;
      if (load) more = [&load, thread] { load(thread); };
      clock_hz_[static_cast<std::size_t>(thread)] = measure_core_clock_hz(more);
    });
  }

  // Number of times that a launch must repeat `body(thread, repetitions)` to be long relative to
  // the spread of the start times. Call it after the data have been filled.
  std::int64_t repetitions_that_last(const std::function<void(int, std::int64_t)>& body) {
    constexpr double kShortest_s = 1e-3;
    constexpr double kAimed_s = 2e-3;
    for (std::int64_t repetitions = 1;;) {
      const double time_s = std::max(undisturbed_time_s(body, repetitions), 1e-9);
      if (time_s >= kShortest_s) return repetitions;
      const double factor = std::clamp(kAimed_s / time_s, 2.0, 1000.0);
      repetitions = static_cast<std::int64_t>(static_cast<double>(repetitions) * factor);
    }
  }

  ThreadTeam& team() { return team_; }
  int threads() const { return team_.size(); }

 private:
  // The shortest time of any thread for its own share in a few launches. On a busy machine the
  // team's time may be mostly waiting, which would end the search too early.
  double undisturbed_time_s(const std::function<void(int, std::int64_t)>& body,
                            std::int64_t repetitions) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times_s(static_cast<std::size_t>(threads()));
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      team_.run([&](int thread) {
        const Clock::time_point start = Clock::now();
        body(thread, repetitions);
        times_s[static_cast<std::size_t>(thread)] =
            std::chrono::duration<double>(Clock::now() - start).count();
      });
      shortest_s = std::min(shortest_s, *std::min_element(times_s.begin(), times_s.end()));
    }
    return shortest_s;
  }

  InstructionSet set_;
  ThreadTeam team_;
  std::vector<double> clock_hz_;
  double elapsed_s_ = 0;
};

// Empty if `device` is a host whose instruction set this CPU supports, otherwise the reason.
inline std::string unsupported_on_host(const DeviceInfo& device) {
  if (device.target != Target::host) return "runs on the CPU only";
  const std::optional<InstructionSet> set = parse_instruction_set(device.instruction_set);
  if (!set) return "unknown instruction set '" + device.instruction_set + "'";
  for (const InstructionSet supported : supported_instruction_sets()) {
    if (supported == *set) return "";
  }
  return "this CPU or build does not support " + device.instruction_set + " code";
}

// The set named by `device.instruction_set`, which may be narrower than the widest of the CPU.
// Throws std::runtime_error if the CPU does not support it.
inline InstructionSet set_for(const DeviceInfo& device) {
  const std::string reason = unsupported_on_host(device);
  if (!reason.empty()) {
    throw std::runtime_error("cannot prepare a host kernel on '" + device.name + "': " + reason);
  }
  return *parse_instruction_set(device.instruction_set);
}

inline const VectorLoops& loops_for(const DeviceInfo& device) {
  return vector_loops(set_for(device));
}

}  // namespace mansard::kernels
