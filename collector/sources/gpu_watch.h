// SPDX-License-Identifier: Apache-2.0
// A thread that asks something of the GPUs that the program works on, again and again while a
// window of recording is open.
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

// What is asked is the derived class's, whose destructor must call stop().
class GpuWatch : public EventSource, public RecordingWindow::Listener {
 public:
  using Complain = std::function<void(const std::string&)>;

  // A GPU that the program works on. The first starts the thread, which sleeps outside of windows
  // and ends with the last.
  void add_device(const store::GpuRecord& gpu);

  // Must come before the libraries in use end with the process. Waits for a round that is under
  // way; false: not any longer than `patience`.
  bool stop(std::chrono::milliseconds patience);

  void window_opens() override {}
  void window_opened() override { set(open_, true); }
  void window_closed() override { set(open_, false); }
  void window_is_over() override { set(over_, true); }

  bool has_events() override { return false; }  // a GPU's state alone is not worth a file
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override { set(stopping_, true); }
  void discard() override;

 protected:
  // `thread_name` is a literal; `what` is recorded, as in "... is not recorded: reason".
  GpuWatch(const char* thread_name, std::string what, std::int64_t session_start_ns,
           Complain complain);

  // These are called on the thread, and may throw, which ends it and is said.
  virtual void open_devices(const std::vector<store::GpuRecord>& gpus) = 0;
  virtual bool watches_any() const = 0;
  // Asks all GPUs. Returns how long to wait before the next time.
  virtual std::chrono::nanoseconds round() = 0;
  // After the window's last round.
  virtual void window_ended() {}
  // The last call. `process_goes_on`: it is not the end of the process, in which libraries end.
  virtual void ends(bool process_goes_on) = 0;

  // Once on stderr, and in the recording.
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
