// SPDX-License-Identifier: Apache-2.0
// What the processes of a program have recorded so far, while they run.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "collector/session/recording_progress.h"

namespace mansard::collector {

class LiveRecording {
 public:
  // The sum over the processes that record to `files`. One that has ended counts as it was last
  // seen, so that nothing goes down.
  RecordingProgress look(const std::vector<std::filesystem::path>& files);

 private:
  std::map<std::filesystem::path, RecordingProgress> seen_;
};

}  // namespace mansard::collector
