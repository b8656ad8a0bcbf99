// SPDX-License-Identifier: Apache-2.0
// `mansard profile --progress`: how the recording goes, on stderr. On a terminal one line that is
// rewritten in place; elsewhere, so that logs stay readable, a line now and then.
#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "collector/session/recording_progress.h"

namespace mansard::cli {

class LiveLine {
 public:
  using Clock = std::chrono::steady_clock;

  LiveLine();
  ~LiveLine();  // clears the line
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // To be called about twice a second.
  void update(const collector::RecordingProgress& progress, Clock::time_point now = Clock::now());

 private:
  struct Point {
    Clock::time_point time;
    std::uint64_t events;
  };
  double events_per_s() const;

  const bool terminal_;
  bool written_ = false;
  std::deque<Point> recent_;
  Clock::time_point next_;  // line
};

}  // namespace mansard::cli
