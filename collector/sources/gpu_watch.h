// SPDX-License-Identifier: Apache-2.0
// A thread that periodically queries the GPUs used by the program while a recording window is open.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

// The derived class defines the query. Its destructor must call stop().
class GpuWatch : public EventSource, public RecordingWindow::Listener {
 public:
  using Complain = std::function<void(const std::string&)>;

  // Adds a GPU that the program uses. The first one starts the thread, which sleeps outside of
  // windows and ends after the last window.
  void add_device(const store::GpuRecord& gpu);

  // Must be called before the libraries in use shut down with the process. Waits for a round in
  // progress; returns false if that took longer than `patience`.
  bool stop(std::chrono::milliseconds patience);

  void window_opens() override {}
  void window_opened() override { set(open_, true); }
  void window_closed() override { set(open_, false); }
  void window_is_over() override { set(over_, true); }

  bool has_events() override { return false; }  // GPU state alone does not justify a file
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override { set(stopping_, true); }
  void discard() override;

 protected:
  // `thread_name` is a string literal; `what` names the data, as in "... not recorded: reason".
  GpuWatch(const char* thread_name, std::string what, std::int64_t session_start_ns,
           Complain complain);

  // These are called on the thread. An exception ends the thread and is reported.
  virtual void open_devices(const std::vector<store::GpuRecord>& gpus) = 0;
  virtual bool watches_any() const = 0;
  // Queries all GPUs. Returns how long to wait before the next round.
  virtual std::chrono::nanoseconds round() = 0;
  // Called after the last round of a window.
  virtual void window_ended() {}
  // The last call. `process_goes_on`: the process is not exiting, so the libraries are still
  // usable.
  virtual void ends(bool process_goes_on) = 0;

  // Writes `text` to stderr and to the profile.
  void say(store::Severity severity, const std::string& text);
  std::int64_t session_start_ns() const { return session_start_ns_; }

 private:
  void set(bool& flag, bool value);
  void run();
  void ask_until_the_end();

  const char* const thread_name_;
  const std::string what_;
  const std::int64_t session_start_ns_;
  const Complain complain_;

  std::mutex mutex_;  // guards the fields below; never held during a call of the derived class
  std::condition_variable changed_;
  bool open_ = false;
  bool over_ = false;
  bool stopping_ = false;
  bool ended_ = true;  // the thread
  std::vector<store::GpuRecord> new_devices_;
  std::vector<store::DiagnosticRecord> diagnostics_;
  std::thread thread_;
};

}  // namespace mansard::collector
