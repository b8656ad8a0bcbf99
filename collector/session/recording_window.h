// SPDX-License-Identifier: Apache-2.0
// When this process records: a state that the program's threads look at with one load, and the
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
  // Something that records, told on the thread whose action opened or closed the window: what comes
  // after that action is in the window.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void window_opens() = 0;   // before it opens; may throw
    virtual void window_opened() {}    // after it opened
    virtual void window_closed() = 0;  // after it closed
    virtual void window_is_over() {}   // and none will open again
  };
  struct Hooks {
    std::function<std::int64_t()> now_ns;  // UTC
    std::function<void(const std::string&)> complain;
  };

  // A recording of the whole program opens with the first listener.
  RecordingWindow(RecordingOptions options, Hooks hooks);

  const RecordingOptions& options() const { return options_; }

  // Listeners outlive the window. If it is open the listener is told at once.
  void add_listener(Listener& listener);

  // 0 before the first window opens; then it goes up with each opening and closing: odd while
  // recording. Read with the lock that guards what is recorded, it is never behind a closing that
  // this data has been told of.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  bool recording() const { return epoch() % 2 == 1; }
  // Of the window that is open, or was last.
  std::int64_t start_ns() const { return start_ns_.load(std::memory_order_relaxed); }

  void open();
  void close();
  bool over() const;  // no window will open any more

  // At the end of the program: nothing opens or closes any more.
  void freeze();

  // Opens and closes by time. Returns when to call again (UTC); none: not any more.
  std::optional<std::int64_t> tick();

  // Whether begins and ends of ranges matter, and which.
  bool watches_ranges() const { return !options_.capture_range.empty() || options_.first_step > 0; }
  bool watches_steps() const { return options_.first_step > 0; }
  bool is_trigger(std::string_view name, std::string_view domain) const;
  // Called before such a range is recorded, and after.
  void trigger_begins();
  void trigger_ends();

  // The windows from the `first`-th on; an end of -1 is open.
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

  mutable std::mutex mutex_;  // guards the fields below
  std::vector<Listener*> listeners_;
  std::vector<store::RecordedWindow> windows_;
  std::int64_t triggers_open_ = 0;
  std::int64_t steps_begun_ = 0;
  bool over_ = false;
};

}  // namespace mansard::collector
