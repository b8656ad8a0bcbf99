// SPDX-License-Identifier: Apache-2.0
// Progress of the recordings of a running program's processes.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "collector/session/recording_progress.h"

namespace mansard::collector {

class LiveRecording {
 public:
  // Returns the sum over the processes that record to `files`. A process that has ended counts with
  // its last values, so the sum never decreases.
  RecordingProgress look(const std::vector<std::filesystem::path>& files);

 private:
  std::map<std::filesystem::path, RecordingProgress> seen_;
};

}  // namespace mansard::collector
