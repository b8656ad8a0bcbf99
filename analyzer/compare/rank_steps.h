// SPDX-License-Identifier: Apache-2.0
// In which step a device's work was launched: in a recording of several processes each has steps of
// its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzer/steps/launch_calls.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard {

class RankSteps {
 public:
  // `steps` of one process; of the others the ranges of the same kind are theirs. Those that have
  // none, and devices of which no launching call was recorded, have `steps`.
  // Keeps all three.
  RankSteps(const Profile& profile, const LaunchCalls& calls, const StepRanges& steps);

  // Of a kernel, copy, fill or graph; none between steps. One whose call was not recorded, as a
  // driver's may be, counts as launched together with what ran before it on its device.
  template <class Record>
  std::optional<std::size_t> step_of(const Record& record) const {
    return step_of(record.device_id, record.correlation_id, record.start_ns);
  }

 private:
  std::optional<std::size_t> step_of(std::int32_t device_id, std::int64_t correlation_id,
                                     std::int64_t start_ns) const;
  const StepRanges& of_device(std::int32_t device_id) const;
  void note_launches();

  struct Launch {
    std::int64_t start_ns;   // of the kernel, on the device
    std::int64_t launch_ns;  // of its call
  };

  const Profile& profile_;
  const LaunchCalls& calls_;
  const StepRanges& steps_;
  std::map<std::int32_t, std::vector<Launch>> launches_;  // of devices that lack calls; by start
  std::map<std::int32_t, StepRanges> others_;             // by device, where they are not steps_
};

}  // namespace mansard
