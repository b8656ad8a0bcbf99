// SPDX-License-Identifier: Apache-2.0
#include "collector/session/recording_window.h"

#include <cmath>
#include <exception>
#include <utility>

namespace mansard::collector {
namespace {

std::int64_t to_ns(double seconds) { return std::llround(seconds * 1e9); }

}  // namespace

RecordingWindow::RecordingWindow(RecordingOptions options, Hooks hooks)
    : options_(std::move(options)), hooks_(std::move(hooks)) {
  if (!options_.limited()) open();
}

void RecordingWindow::add_listener(Listener& listener) {
  const std::lock_guard lock(mutex_);
  if (recording()) {
    listener.window_opens();
    listener.window_opened();
  }
  listeners_.push_back(&listener);
  if (over_) listener.window_is_over();
}

void RecordingWindow::open() {
  const std::lock_guard lock(mutex_);
  open_locked();
}

void RecordingWindow::close() {
  const std::lock_guard lock(mutex_);
  close_locked();
}

void RecordingWindow::end() {
  const std::lock_guard lock(mutex_);
  end_locked();
}

bool RecordingWindow::over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

void RecordingWindow::freeze() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  if (recording()) windows_.back().end_ns = hooks_.now_ns();
}

void RecordingWindow::open_locked() {
  if (over_ || recording()) return;
  for (Listener* listener : listeners_) {
    try {
      listener->window_opens();
    } catch (const std::exception& error) {
      hooks_.complain(error.what());  // the other listeners continue
    }
  }
  const std::int64_t now_ns = hooks_.now_ns();
  windows_.push_back({now_ns, -1});
  start_ns_.store(now_ns, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  for (Listener* listener : listeners_) listener->window_opened();
}

void RecordingWindow::close_locked() {
  if (over_ || !recording()) return;
  // Read the clock last: events recorded as inside the window have read it before.
  epoch_.fetch_add(1, std::memory_order_acq_rel);
  windows_.back().end_ns = hooks_.now_ns();
  for (Listener* listener : listeners_) listener->window_closed();
}

void RecordingWindow::end_locked() {
  if (over_) return;
  close_locked();
  over_ = true;
  for (Listener* listener : listeners_) listener->window_is_over();
}

std::optional<std::int64_t> RecordingWindow::tick() {
  if (!options_.timed()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (over_) return std::nullopt;
  const std::int64_t now_ns = hooks_.now_ns();
  const std::int64_t begin_ns = options_.start_utc_ns + to_ns(options_.delay_s);
  if (now_ns < begin_ns) return begin_ns;
  if (options_.duration_s <= 0) {
    open_locked();
    return std::nullopt;
  }
  const std::int64_t end_ns = begin_ns + to_ns(options_.duration_s);
  if (now_ns >= end_ns) {
    end_locked();
    return std::nullopt;
  }
  open_locked();
  return end_ns;
}

bool RecordingWindow::is_trigger(std::string_view name, std::string_view domain) const {
  if (watches_steps()) return name.starts_with(options_.step_prefix);
  if (!options_.capture_domain.empty() && domain != options_.capture_domain) return false;
  // A work annotation after the name is not part of it.
  return name.starts_with(options_.capture_range) &&
         (name.size() == options_.capture_range.size() ||
          name.substr(options_.capture_range.size()).starts_with(" |"));
}

void RecordingWindow::trigger_begins() {
  const std::lock_guard lock(mutex_);
  if (watches_steps()) {
    const std::int64_t step = ++steps_begun_;
    if (step == options_.first_step) open_locked();
    if (step == options_.end_step) end_locked();
  } else if (++triggers_open_ == 1) {
    open_locked();
  }
}

void RecordingWindow::trigger_ends() {
  if (watches_steps()) return;
  const std::lock_guard lock(mutex_);
  if (--triggers_open_ == 0) close_locked();
}

std::vector<store::RecordedWindow> RecordingWindow::windows(std::size_t first) const {
  const std::lock_guard lock(mutex_);
  if (first >= windows_.size()) return {};
  return {windows_.begin() + static_cast<std::ptrdiff_t>(first), windows_.end()};
}

std::string RecordingWindow::why_never_opened() const {
  const std::lock_guard lock(mutex_);
  if (watches_steps()) {
    return "only " + std::to_string(steps_begun()) + " ranges with names starting with '" +
           options_.step_prefix +
           "' were entered, and the kernel launches did not repeat themselves up to that step";
  }
  if (!options_.capture_range.empty()) {
    const std::string domain =
        options_.capture_domain.empty() ? "" : " in domain '" + options_.capture_domain + "'";
    return "no range '" + options_.capture_range + "'" + domain + " was entered";
  }
  if (options_.capture_profiler_api) return "cudaProfilerStart was not called";
  if (options_.paused) return "recording was not started with `mansard control`";
  return "the program had no CUDA or NVTX activity in that time";
}

}  // namespace mansard::collector
