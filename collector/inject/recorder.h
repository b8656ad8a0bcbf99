// SPDX-License-Identifier: Apache-2.0
// The recorder of this process. Created by the first event, so that a process without events (such
// as the shell script that starts a training program) leaves no file. Never destroyed: other
// threads of the program may be using it when the process ends.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "collector/inject/control_server.h"
#include "collector/inject/nvtx_names.h"
#include "collector/inject/nvtx_schemas.h"
#include "collector/inject/nvtx_source.h"
#include "collector/inject/window_source.h"
#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

// Set once recording is over for good: an NVTX call then costs only this load.
inline constinit std::atomic<bool> recording_is_over = false;

class Recorder : private RecordingWindow::Listener {
 public:
  // This process's recorder. Null if nothing is to be recorded, or the process is ending.
  static Recorder* get();

  // When this process records. Null like get().
  static RecordingWindow* window();

  // Domains and strings; in a forked child, they are older than the recorder.
  static NvtxNames& names();
  // Layouts of structured payloads; also older than the recorder in a forked child.
  static NvtxSchemas& schemas();

  // Ends the recording normally, at exit.
  static void finish();

  NvtxSource& nvtx() { return nvtx_; }
  WriterThread& writer() { return writer_; }
  RecordingWindow& recording_window() { return window_; }
  std::int64_t session_start_ns() const { return session_.start_utc_ns; }

  // `flush` collects the records of finished GPU work; used by `mansard control`.
  void on_flush(std::function<void()> flush);
  // `flush` runs before the last events are written.
  void before_finish(std::function<void()> flush) { flush_ = std::move(flush); }

 private:
  Recorder(std::filesystem::path output, store::SessionInfo session, RecordingOptions options);
  std::unique_ptr<store::ProfileWriter> open();
  bool flush();

  void keep_time();
  void say_why_nothing_was_recorded();
  void window_opens() override {}
  void window_closed() override {}
  void window_is_over() override { recording_is_over = true; }

  static void prepare_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  const std::filesystem::path output_;
  const store::SessionInfo session_;
  RecordingWindow window_;
  WriterThread writer_;
  NvtxSource nvtx_;
  WindowSource window_rows_;
  std::function<void()> flush_;
  std::mutex flush_mutex_;  // guards the next
  std::function<void()> flush_device_;
  ControlServer control_;  // last: its thread uses the others
};

// Writes one line to stderr, unless the program has replaced stderr with another file.
void complain(const std::string& message);

// The NVTX state of the calling thread, or null. Lives as long as the thread; a forked child
// creates new state.
NvtxThread* this_nvtx_thread();
void forget_this_nvtx_thread();

}  // namespace mansard::collector
