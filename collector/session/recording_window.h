// SPDX-License-Identifier: Apache-2.0
// When this process records: a state that the program's threads read with one load, and the
// triggers that change it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/session/recording_options.h"
#include "collector/store/profile.h"

namespace mansard::collector {

class RecordingWindow {
 public:
  // An event source that is notified on the thread whose action opened or closed the window, so
  // that everything after that action is in the window.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void window_opens() = 0;   // before it opens; may throw
    virtual void window_opened() {}    // after it opened
    virtual void window_closed() = 0;  // after it closed
    virtual void window_is_over() {}   // no window will open again
  };
  struct Hooks {
    std::function<std::int64_t()> now_ns;  // UTC
    std::function<void(const std::string&)> complain;
  };

  // If the whole program is recorded, the window opens with the first listener.
  RecordingWindow(RecordingOptions options, Hooks hooks);

  const RecordingOptions& options() const { return options_; }

  // Listeners must outlive the window. If it is open, the listener is notified immediately.
  void add_listener(Listener& listener);

  // 0 before the first window opens; incremented at each opening and closing, so odd while
  // recording. When read under the lock that guards the recorded data, it is never older than a
  // closing of which that data has been notified.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  bool recording() const { return epoch() % 2 == 1; }
  // Start of the open window, or else of the last one.
  std::int64_t start_ns() const { return start_ns_.load(std::memory_order_relaxed); }

  void open();
  void close();
  void end();         // closes it permanently
  bool over() const;  // no window will open again

  // Called at the end of the program: no window opens or closes afterwards.
  void freeze();

  // Opens and closes the window by time. Returns when to call again (UTC), or nothing if no further
  // call is needed.
  std::optional<std::int64_t> tick();

  // Whether starts and ends of ranges trigger windows, and of which ranges.
  bool watches_ranges() const { return !options_.capture_range.empty() || options_.first_step > 0; }
  bool watches_steps() const { return options_.first_step > 0; }
  // Ranges that mark steps. Takes no lock.
  std::int64_t steps_begun() const { return steps_begun_.load(std::memory_order_relaxed); }
  bool is_trigger(std::string_view name, std::string_view domain) const;
  // Called before such a range is recorded, and after it has ended.
  void trigger_begins();
  void trigger_ends();

  // The windows starting with number `first`; an end of -1 means open.
  std::vector<store::RecordedWindow> windows(std::size_t first) const;

  // Why nothing was recorded, when no window ever opened.
  std::string why_never_opened() const;

 private:
  void open_locked();
  void close_locked();
  void end_locked();

  const RecordingOptions options_;
  const Hooks hooks_;
  std::atomic<std::uint32_t> epoch_ = 0;
  std::atomic<std::int64_t> start_ns_ = 0;
  std::atomic<std::int64_t> steps_begun_ = 0;

  mutable std::mutex mutex_;  // guards the fields below
  std::vector<Listener*> listeners_;
  std::vector<store::RecordedWindow> windows_;
  std::int64_t triggers_open_ = 0;
  bool over_ = false;
};

}  // namespace mansard::collector
