// SPDX-License-Identifier: Apache-2.0
// The phases of a run: start-up (initialization, compilation, autotuning) and what follows the last
// step are not part of any step. Their cost is shown apart from that of the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/steps/step_times.h"

namespace mansard::analysis {

enum class PhaseKind : std::uint8_t {
  start_up,     // before the first step
  first_steps,  // before the first typical step: they load, compile, allocate
  typical_steps,
  other_steps,    // later ones that are not typical
  counters_read,  // steps slowed down by reading counters
  after_steps,    // after the last step
};
inline constexpr std::size_t kPhaseKinds = 6;

struct PhaseInfo {
  std::string_view key;  // in JSON
  std::string_view label;
  std::string_view description;
};
const PhaseInfo& info(PhaseKind kind);

// A phase of one device.
struct Phase {
  PhaseKind kind = PhaseKind::start_up;
  std::size_t steps = 0;      // number of steps; 0 in start_up and after_steps
  std::int64_t total_ns = 0;  // of the span from the first activity to the end of the last
  std::int64_t busy_ns = 0;   // something ran
  std::int64_t launches = 0;  // kernels, memcpys, memsets and graphs that started in the phase
  // Time that counts for the kernels of each class; memcpys and memsets have classes of their own.
  std::map<OperationClass, std::int64_t> class_ns;
};

// The phases of a device with steps, in the order of PhaseKind, without empty ones; none if no
// steps were found. Their times add up to the span of the device's activities.
std::vector<Phase> run_phases(const RunAnalysis& run, const DeviceSteps& device);

}  // namespace mansard::analysis
