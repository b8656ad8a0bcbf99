// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/live_recording.h"

#include <algorithm>

#include "collector/launch/control.h"

namespace mansard::collector {

RecordingProgress LiveRecording::look(const std::vector<std::filesystem::path>& files) {
  for (const RecordedProcess& process : recorded_processes()) {
    const bool ours = std::find(files.begin(), files.end(), process.file) != files.end();
    if (ours) seen_[process.file] = process.progress;
  }
  RecordingProgress sum;
  for (const auto& [file, progress] : seen_) {
    sum.events += progress.events;
    sum.dropped_events += progress.dropped_events;
    sum.file_bytes += progress.file_bytes;
  }
  return sum;
}

}  // namespace mansard::collector
