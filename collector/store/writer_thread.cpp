// SPDX-License-Identifier: Apache-2.0
#include "collector/store/writer_thread.h"

#include <algorithm>
#include <exception>

#include "collector/store/quiet_thread.h"

namespace mansard {
namespace {

constexpr std::chrono::milliseconds kPeriod{200};

}  // namespace

WriterThread::WriterThread(Hooks hooks) : hooks_(std::move(hooks)) {
  thread_ = start_quiet_thread("mansard-writer", [this] { run(); });
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

void WriterThread::diagnose(Severity severity, std::string text) {
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({hooks_.now_ns(), severity, std::move(text)});
}

bool WriterThread::finish(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    if (!changed_.wait_for(lock, patience, [&] { return ended_; })) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

std::unique_lock<std::timed_mutex> WriterThread::pause(std::chrono::milliseconds patience) {
  return std::unique_lock(database_, patience);
}

void WriterThread::run() {
  bool last = false;
  while (!last) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kPeriod, [&] { return stopping_ || woken_; });
      woken_ = false;
      last = stopping_;
    }
    step(last);
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void WriterThread::step(bool last) {
  const std::lock_guard lock(database_);
  std::vector<EventSource*> sources;
  {
    const std::lock_guard fields(mutex_);
    sources = sources_;
  }
  if (failed_) {
    for (EventSource* source : sources) source->discard();
    return;
  }
  try {
    if (writer_ == nullptr) {
      const bool worth_a_file = std::any_of(sources.begin(), sources.end(),
                                            [](EventSource* s) { return s->has_events(); });
      if (!worth_a_file) return;
      writer_ = hooks_.open();
    }
    for (EventSource* source : sources) {
      source->drain(*writer_);
      writer_->commit();
    }
    write_pending();
    if (last) writer_->finish(RecordingState::complete);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void WriterThread::write_pending() {
  std::vector<DiagnosticRecord> pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(diagnostics_);
  }
  for (const DiagnosticRecord& diagnostic : pending) writer_->add(diagnostic);
  writer_->commit();
}

void WriterThread::fail(const std::string& reason) {
  failed_ = true;
  const std::string text = "recording stopped: " + reason;
  hooks_.complain(text);
  if (writer_ == nullptr) return;
  try {
    // On a full disk there may still be room for this much; the reader copes if there is not.
    writer_->give_up({hooks_.now_ns(), Severity::error, text});
  } catch (const std::exception&) {
  }
  writer_.reset();
}

}  // namespace mansard
