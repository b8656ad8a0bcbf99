// SPDX-License-Identifier: Apache-2.0
// Stores the recording windows.
#pragma once

#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

class WindowSource : public EventSource {
 public:
  WindowSource(std::int64_t session_start_ns, const RecordingWindow& window)
      : session_start_ns_(session_start_ns), window_(window) {}

  bool has_events() override { return false; }
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override {}
  void discard() override {}

 private:
  const std::int64_t session_start_ns_;
  const RecordingWindow& window_;
  std::size_t finished_ = 0;   // windows already stored with their ends
  bool open_written_ = false;  // whether the next one is stored without its end
  bool request_written_ = false;
};

}  // namespace mansard::collector
