// SPDX-License-Identifier: Apache-2.0
// The side of `mansard control` in the recorded process.
#pragma once

#include <filesystem>
#include <functional>

#include "collector/session/control_block.h"
#include "collector/session/recording_progress.h"
#include "collector/session/recording_window.h"

namespace mansard::collector {

// Lives as long as the process.
class ControlServer {
 public:
  // Starts a thread that waits for requests. `flush` makes all recorded events durable and returns
  // whether it succeeded.
  ControlServer(RecordingWindow& window, const std::filesystem::path& output,
                std::function<bool()> flush);

  // Returns false without shared memory, or once its file has been truncated.
  bool available() const;
  void set_file(const std::filesystem::path& file);
  void set_progress(const RecordingProgress& progress);
  void end();  // the recording is closed

 private:
  void serve();
  ControlResult run(ControlCommand command);
  void publish_state();

  RecordingWindow& window_;
  const std::function<bool()> flush_;
  const std::filesystem::path folder_;
  ControlBlock* const block_;
};

}  // namespace mansard::collector
