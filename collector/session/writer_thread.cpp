// SPDX-License-Identifier: Apache-2.0
#include "collector/session/writer_thread.h"

#include <algorithm>
#include <exception>

#include "collector/session/background_thread.h"
#include "collector/store/sqlite.h"

namespace mansard::collector {
namespace {

constexpr std::chrono::milliseconds kPeriod{200};
// The first periods are shorter: data loader workers may call _exit() after 0.1 s.
constexpr std::chrono::milliseconds kFirstPeriod{10};

}  // namespace

WriterThread::WriterThread(Hooks hooks) : hooks_(std::move(hooks)) {
  thread_ = start_background_thread("mansard-writer", [this] { run(); });
}

WriterThread::~WriterThread() {
  if (thread_.joinable()) finish(std::chrono::hours(1));
}

void WriterThread::add_source(EventSource& source) {
  const std::lock_guard lock(mutex_);
  sources_.push_back(&source);
}

void WriterThread::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool WriterThread::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  woken_ = true;
  changed_.notify_all();
  // A step in progress may already have passed some sources, so wait for the next step.
  const std::uint64_t wanted = steps_begun_ + 1;
  return changed_.wait_for(lock, patience, [&] { return ended_ || steps_done_ >= wanted; });
}

void WriterThread::diagnose(store::Severity severity, std::string text) {
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({hooks_.now_ns(), severity, std::move(text)});
}

bool WriterThread::finish(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    last_step_until_ = std::chrono::steady_clock::now() + patience * 3 / 4;
    changed_.notify_all();
    if (!changed_.wait_for(lock, patience, [&] { return ended_; })) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

std::unique_lock<std::timed_mutex> WriterThread::pause(std::chrono::milliseconds patience) {
  const auto want = [this](int change) {
    const std::lock_guard lock(mutex_);
    pauses_wanted_ += change;
    changed_.notify_all();
  };
  want(1);
  std::unique_lock paused(database_, patience);
  want(-1);
  return paused;
}

// A mutex is not fair: a busy writer would take it again before the waiting thread wakes up.
std::unique_lock<std::timed_mutex> WriterThread::lock_database() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pauses_wanted_ == 0; });
  lock.unlock();
  return std::unique_lock(database_);
}

void WriterThread::run() {
  bool last = false;
  for (auto period = kFirstPeriod; !last; period = std::min(2 * period, kPeriod)) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, period, [&] { return stopping_ || woken_; });
      woken_ = false;
      last = stopping_;
      ++steps_begun_;
    }
    step(last);
    if (hooks_.period && !last) hooks_.period();
    const std::lock_guard lock(mutex_);
    steps_done_ = steps_begun_;
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void WriterThread::step(bool last) {
  if (last) {
    const std::lock_guard lock(mutex_);
    for (EventSource* source : sources_) source->close();
  }
  for (bool more = true; more;) {
    const auto lock = lock_database();
    try {
      more = drain_some();
      if (more && last && !failed_ && std::chrono::steady_clock::now() > last_step_until_) {
        fail("the program is exiting, and its last events were not written within --exit-timeout");
      }
      publish_progress();
      if (!more && last && writer_ != nullptr) writer_->finish(store::RecordingState::complete);
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
}

bool WriterThread::drain_some() {
  std::vector<EventSource*> sources;
  {
    const std::lock_guard lock(mutex_);
    sources = sources_;
  }
  if (failed_) {
    for (EventSource* source : sources) source->discard();
    return false;
  }
  if (writer_ == nullptr) {
    // Call has_events() on every source: it also discards events that do not justify a file.
    const auto worth_a_file = std::count_if(sources.begin(), sources.end(),
                                            [](EventSource* s) { return s->has_events(); });
    if (worth_a_file == 0) return false;
    writer_ = hooks_.open();
  }
  bool more = false;
  for (EventSource* source : sources) {
    more = source->drain(*writer_, pauses_wanted_) || more;
    writer_->commit();
  }
  write_pending();
  return more;
}

void WriterThread::write_pending() {
  std::vector<store::DiagnosticRecord> pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(diagnostics_);
  }
  for (const store::DiagnosticRecord& diagnostic : pending) writer_->add(diagnostic);
  writer_->commit();
}

void WriterThread::publish_progress() {
  if (writer_ == nullptr || !hooks_.progress) return;
  RecordingProgress progress;
  progress.events = writer_->events();
  progress.file_bytes = store::bytes_on_disk(writer_->file());
  {
    const std::lock_guard lock(mutex_);
    for (const EventSource* source : sources_) progress.dropped_events += source->dropped_events();
  }
  hooks_.progress(progress);
}

void WriterThread::fail(const std::string& reason) {
  failed_ = true;
  const std::string text = "recording stopped: " + reason;
  hooks_.complain(text);
  if (writer_ == nullptr) return;
  try {
    // A full disk may still have room for this row; readers also work without it.
    writer_->give_up({hooks_.now_ns(), store::Severity::error, text});
  } catch (const std::exception&) {
  }
  writer_.reset();
}

}  // namespace mansard::collector
