// SPDX-License-Identifier: Apache-2.0
// The only thread that writes a profile. The program's threads pass their events to sources, which
// buffer a bounded amount in memory; this thread drains them every 0.2 s, and more often at first.
// A slow disk therefore loses events (which the sources count), but never delays the program.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collector/session/recording_progress.h"
#include "collector/store/profile_writer.h"

namespace mansard::collector {

// All functions are called on the writer thread, and may throw what ProfileWriter throws.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Whether there are events that justify creating a file.
  virtual bool has_events() = 0;
  // Writes some of the waiting events, in a fraction of a second. Returns true if more are waiting.
  // `wanted`: how many threads of the program are blocked until this returns; if there are any, it
  // returns within milliseconds.
  virtual bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) = 0;
  // Recording ends: later events are not accepted.
  virtual void close() = 0;
  // Recording has become impossible: discards waiting events and accepts no more.
  virtual void discard() = 0;
  // Number of events that happened but will never be in the file.
  virtual std::uint64_t dropped_events() const { return 0; }
};

class WriterThread {
 public:
  struct Hooks {
    std::function<std::unique_ptr<store::ProfileWriter>()> open;  // at the first event
    std::function<void(const std::string&)> complain;             // recording failed; once
    std::function<std::int64_t()> now_ns;                         // since the session's start
    // Called every 0.2 s once there is a file. Optional.
    std::function<void(const RecordingProgress&)> progress = {};
    // Called every 0.2 s, with or without a file. Optional.
    std::function<void()> period = {};
  };

  explicit WriterThread(Hooks hooks);  // starts the thread, with every signal blocked
  ~WriterThread();                     // finishes as complete

  // The source must outlive the thread.
  void add_source(EventSource& source);

  void wake();  // a buffer fills up: do not wait for the next period

  // Returns once all events that sources hold now are in the file and committed; false if this
  // takes longer than `patience`.
  bool flush(std::chrono::milliseconds patience);

  // Stored in DIAGNOSTIC_EVENT, if a file is ever created.
  void diagnose(store::Severity severity, std::string text);

  // Drains, closes the file as complete and ends the thread. After three quarters of `patience`
  // the rest is discarded, and the file is closed as interrupted. False: the thread did not end
  // within `patience` (a hung file system), and the file is left as after a crash.
  bool finish(std::chrono::milliseconds patience);

  // While the returned lock is held, no database call is in progress. The lock is not owned if that
  // took longer than `patience`.
  std::unique_lock<std::timed_mutex> pause(std::chrono::milliseconds patience);

 private:
  void run();
  void step(bool last);
  bool drain_some();
  void write_pending();
  void publish_progress();
  std::unique_lock<std::timed_mutex> lock_database();
  void fail(const std::string& reason);

  const Hooks hooks_;
  std::mutex mutex_;  // guards the fields below
  std::condition_variable changed_;
  bool woken_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  std::chrono::steady_clock::time_point last_step_until_;
  std::uint64_t steps_begun_ = 0;
  std::uint64_t steps_done_ = 0;
  std::atomic<int> pauses_wanted_ = 0;  // changed under the mutex
  std::vector<EventSource*> sources_;
  std::vector<store::DiagnosticRecord> diagnostics_;

  std::timed_mutex database_;  // held during every use of writer_
  std::unique_ptr<store::ProfileWriter> writer_;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace mansard::collector
