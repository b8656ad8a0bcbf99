// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recorder.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <sys/resource.h>

#include "collector/inject/guarded_files.h"
#include "collector/inject/output_file.h"
#include "collector/session/background_thread.h"
#include "collector/session/output_pattern.h"
#include "collector/session/process_notes.h"
#include "collector/session/session_description.h"
#include "collector/store/schema.h"
#include "support/files.h"
#include "support/job_rank.h"

namespace mansard::collector {
namespace {

// Maximum time that a fork waits for a database call in progress.
constexpr std::chrono::seconds kForkPatience{1};
// Maximum time of a requested flush; only the requester waits.
constexpr std::chrono::seconds kFlushPatience{20};

// Standard error when this library was loaded. If the program closes all descriptors, descriptor 2
// may become one of its own files, which must not receive our messages.
const std::optional<FileIdentity> kStandardError = file_identity(STDERR_FILENO);

// Never destroyed: exit handlers and other threads use it until the process ends.
struct Process {
  std::mutex creating;
  std::atomic<Recorder*> recorder = nullptr;
  std::atomic<bool> over = false;
  Recorder* ended = nullptr;  // keeps the rest reachable for leak checkers
  bool handlers_installed = false;
  NvtxNames names;
  NvtxSchemas schemas;
  // Held during a fork.
  std::unique_lock<std::timed_mutex> paused;
  bool could_pause = true;
};

Process& process() {
  static Process* const only = new Process;
  return *only;
}

// Returns "" in a set-uid program: its caller must not learn about its files and memory.
std::string environment(const char* name) {
  const char* value = secure_getenv(name);
  return value != nullptr ? value : "";
}

std::string process_notes() { return environment("MANSARD_PROCESS_NOTES"); }

// Invalid values were set by hand. Record everything then: too much is better than nothing.
RecordingOptions recording_options() {
  RecordingOptions options;
  try {
    options = recording_options_of_environment();
  } catch (const std::invalid_argument& error) {
    complain(std::string(error.what()) + "; recording the whole program");
  }
  if (options.start_utc_ns == 0) options.start_utc_ns = store::utc_now_ns();
  return options;
}

// Returns the limit of the process that may explain why the profile cannot be written, or "".
std::string cause_in_this_process() {
  rlimit size{};
  if (getrlimit(RLIMIT_FSIZE, &size) != 0 || size.rlim_cur == RLIM_INFINITY) return "";
  return "; file size limit of this process: " + std::to_string(size.rlim_cur >> 10) +
         " KiB (ulimit -f)";
}

void complain_of_writer(const std::string& text) {
  complain(lost_guarded_files() ? "recording stopped: the program closed the profile's file "
                                  "descriptors; events written before that are kept"
                                : text + cause_in_this_process());
}

// If the main thread calls pthread_exit(), the process ends with its last other thread. Our threads
// never end and must not keep it alive.
void exit_with_the_program() {
  static bool exiting = false;
  if (exiting || !only_quiet_threads_left()) return;
  exiting = true;
  // Exits as the C library does when the last thread ends. Uses its own thread: exit handlers wait
  // for the writer thread, which calls this function.
  start_background_thread("mansard-exit", [] { std::exit(0); }).detach();
}

}  // namespace

void complain(const std::string& message) {
  if (!kStandardError || file_identity(STDERR_FILENO) != kStandardError) return;
  const std::string line = "mansard: " + message + "\n";
  // Not std::cerr, which belongs to the program. Nothing can be done if it fails.
  const DiscardedWriteSignals quiet;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

NvtxNames& Recorder::names() { return process().names; }

NvtxSchemas& Recorder::schemas() { return process().schemas; }

Recorder::Recorder(std::filesystem::path output, store::SessionInfo session,
                   RecordingOptions options)
    : output_(std::move(output)),
      session_(std::move(session)),
      window_(std::move(options), {.now_ns = store::utc_now_ns, .complain = complain}),
      writer_({.open = [this] { return open(); },
               .complain = [](const std::string& text) { complain_of_writer(text); },
               .now_ns = [this] { return store::utc_now_ns() - session_.start_utc_ns; },
               .progress = [this](const RecordingProgress& p) { control_.set_progress(p); },
               .period = exit_with_the_program}),
      nvtx_(session_.start_utc_ns, window_,
            {.wake_writer = [this] { writer_.wake(); }, .complain = complain}),
      window_rows_(session_.start_utc_ns, window_),
      control_(window_, output_, [this] { return flush(); }) {
  writer_.add_source(nvtx_);
  writer_.add_source(window_rows_);
  window_.add_listener(nvtx_);
  window_.add_listener(*this);
  if (window_.options().paused && !control_.available()) {
    complain("cannot start recording: no shared memory for `mansard control` in " +
             control_folder().string());
  }
  if (window_.options().timed()) {
    // This thread mostly sleeps, and ends with the process.
    window_.tick();
    try {
      start_background_thread("mansard-window", [this] { keep_time(); }).detach();
    } catch (const std::system_error&) {
      complain("nothing is recorded: cannot create the timer thread for --delay and --duration");
    }
  }
}

void Recorder::on_flush(std::function<void()> flush) {
  const std::lock_guard lock(flush_mutex_);
  flush_device_ = std::move(flush);
}

bool Recorder::flush() {
  {
    const std::lock_guard lock(flush_mutex_);
    if (flush_device_) flush_device_();
  }
  return writer_.flush(kFlushPatience);
}

void Recorder::keep_time() {
  while (const auto next_ns = window_.tick()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(*next_ns - store::utc_now_ns()));
  }
}

// The program has recordable work, or there would be no recorder.
void Recorder::say_why_nothing_was_recorded() {
  if (window_.epoch() > 0) return;
  complain("nothing was recorded for process " + std::to_string(getpid()) + " with " +
           describe(window_.options()) + ": " + window_.why_never_opened());
}

std::unique_ptr<store::ProfileWriter> Recorder::open() {
  const std::filesystem::path file = create_output_file(output_, getpid());
  auto writer = [&] {
    try {
      auto made = std::make_unique<store::ProfileWriter>(file, session_);
      made->set_session_value(store::kLaunchTime, std::to_string(window_.options().start_utc_ns));
      if (const std::optional<int> ranks = world_size_of_environment()) {
        made->set_session_value(store::kWorldSize, std::to_string(*ranks));
      }
      made->commit();
      return made;
    } catch (...) {
      // The disk may be full. Do not leave an empty file behind.
      std::error_code ignored;
      for (const char* suffix : {"", "-wal"})
        std::filesystem::remove(file.string() + suffix, ignored);
      throw;
    }
  }();
  // SQLite treats a failing lock call like a lock that others hold.
  writer->wait_for_locks_while([] { return !lost_guarded_files(); });
  append_note(process_notes(), ProcessEvent::created, getpid(), file);
  control_.set_file(file);
  return writer;
}

RecordingWindow* Recorder::window() {
  Recorder* recorder = get();
  return recorder != nullptr ? &recorder->window_ : nullptr;
}

Recorder* Recorder::get() {
  Process& p = process();
  if (Recorder* recorder = p.recorder.load(std::memory_order_acquire)) return recorder;
  if (p.over.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(p.creating);
  if (Recorder* recorder = p.recorder.load(std::memory_order_acquire)) return recorder;
  const std::string output = environment("MANSARD_OUTPUT");
  if (output.empty() || p.over) {
    p.over = true;
    return nullptr;
  }
  append_note(process_notes(), ProcessEvent::began, getpid());
  if (!p.handlers_installed) {
    p.handlers_installed = true;
    pthread_atfork(prepare_fork, after_fork_in_parent, after_fork_in_child);
#if MANSARD_OWN_SQLITE
    guard_files();
#endif
    std::atexit(finish);
    std::at_quick_exit(finish);
  }
  try {
    const RecordingOptions options = recording_options();
    const auto file = expand_output_pattern(output, getpid(), environment("MANSARD_OUTPUT_FOLDER"));
    auto* recorder = new Recorder(std::filesystem::absolute(file),
                                  describe_session(environment("MANSARD_COMMAND")), options);
    p.recorder.store(recorder, std::memory_order_release);
    return recorder;
  } catch (const std::exception& error) {
    // Threads (ulimit -u) or memory may be exhausted. Do not retry at each event.
    p.over = true;
    complain(std::string("this process is not recorded: ") + error.what());
    return nullptr;
  }
}

void Recorder::finish() {
  Process& p = process();
  p.over = true;
  Recorder* recorder = p.recorder.exchange(nullptr);
  if (recorder == nullptr) return;
  p.ended = recorder;
  try {
    recorder->window_.freeze();
    if (recorder->flush_) recorder->flush_();
    const double timeout_s = recorder->window_.options().exit_timeout_s;
    const auto patience = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * timeout_s));
    if (!recorder->writer_.finish(patience)) {
      complain(
          "the last events could not be written within --exit-timeout; events written before are "
          "kept");
    }
    recorder->say_why_nothing_was_recorded();
    recorder->control_.end();
    append_note(process_notes(), ProcessEvent::ended, getpid());
  } catch (const std::exception& error) {
    complain(std::string("the profile could not be closed: ") + error.what());
  }
}

// SQLite's locks are process-wide: a child forked while the writer holds one could never use
// SQLite. So no database call may be in progress during a fork.
void Recorder::prepare_fork() {
  Process& p = process();
  p.creating.lock();
  p.names.lock();
  p.schemas.lock();
  if (Recorder* recorder = p.recorder) {
    p.paused = recorder->writer_.pause(kForkPatience);
    p.could_pause = p.paused.owns_lock();
  }
}

void Recorder::after_fork_in_parent() {
  Process& p = process();
  p.paused = {};
  p.could_pause = true;
  p.schemas.unlock();
  p.names.unlock();
  p.creating.unlock();
}

// The parent's recorder, with its threads and file, is not touched. The child gets its own with its
// first event.
void Recorder::after_fork_in_child() {
  Process& p = process();
  p.ended = p.recorder.exchange(nullptr);
  recording_is_over = false;
  forget_quiet_threads();
  forget_guarded_files();
  p.paused.release();
  if (!p.could_pause) {
    p.over = true;
    complain("this forked process is not recorded: the disk is too slow");
  }
  p.could_pause = true;
  forget_this_nvtx_thread();
  p.schemas.unlock();
  p.names.unlock();
  p.creating.unlock();
}

}  // namespace mansard::collector
