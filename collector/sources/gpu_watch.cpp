// SPDX-License-Identifier: Apache-2.0
#include "collector/sources/gpu_watch.h"

#include <exception>
#include <utility>

#include "collector/session/background_thread.h"

namespace mansard::collector {

GpuWatch::GpuWatch(const char* thread_name, std::string what, std::int64_t session_start_ns,
                   Complain complain)
    : thread_name_(thread_name),
      what_(std::move(what)),
      session_start_ns_(session_start_ns),
      complain_(std::move(complain)) {}

void GpuWatch::set(bool& flag, bool value) {
  const std::lock_guard lock(mutex_);
  flag = value;
  changed_.notify_all();
}

void GpuWatch::add_device(const store::GpuRecord& gpu) {
  const std::lock_guard lock(mutex_);
  if (over_ || stopping_) return;
  new_devices_.push_back(gpu);
  changed_.notify_all();
  if (thread_.joinable()) return;
  try {
    ended_ = false;
    thread_ = start_background_thread(thread_name_, [this] { run(); });
  } catch (const std::exception&) {
    // No thread available: continue without this data.
    ended_ = true;
    over_ = true;
  }
}

bool GpuWatch::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  const bool ended = changed_.wait_for(lock, patience, [this] { return ended_; });
  if (!thread_.joinable()) return ended;
  std::thread thread = std::move(thread_);
  lock.unlock();
  ended ? thread.join() : thread.detach();
  return ended;
}

void GpuWatch::run() {
  try {
    ask_until_the_end();
  } catch (const std::exception& error) {
    say(store::Severity::warning, what_ + " not recorded: " + error.what());
  }
  std::unique_lock lock(mutex_);
  const bool process_goes_on = !stopping_;
  lock.unlock();
  ends(process_goes_on);
  lock.lock();
  over_ = true;  // no more devices
  ended_ = true;
  changed_.notify_all();
}

void GpuWatch::ask_until_the_end() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto ends = [this] { return stopping_ || over_; };
    changed_.wait(lock,
                  [&] { return ends() || (open_ && (!new_devices_.empty() || watches_any())); });
    if (ends()) return;
    const std::vector<store::GpuRecord> added = std::exchange(new_devices_, {});
    lock.unlock();
    if (!added.empty()) open_devices(added);
    const auto pause = round();
    lock.lock();
    changed_.wait_for(lock, pause, [&] { return ends() || !open_; });
    if (open_ && !ends()) continue;
    lock.unlock();
    window_ended();
    lock.lock();
  }
}

void GpuWatch::say(store::Severity severity, const std::string& text) {
  complain_(text);
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({store::utc_now_ns() - session_start_ns_, severity, text});
}

bool GpuWatch::drain(store::ProfileWriter& writer, const std::atomic<int>&) {
  std::vector<store::DiagnosticRecord> diagnostics;
  {
    const std::lock_guard lock(mutex_);
    diagnostics.swap(diagnostics_);
  }
  for (const store::DiagnosticRecord& diagnostic : diagnostics) writer.add(diagnostic);
  return false;
}

void GpuWatch::discard() {
  const std::lock_guard lock(mutex_);
  diagnostics_.clear();
}

}  // namespace mansard::collector
