// SPDX-License-Identifier: Apache-2.0
// `mansard profile --progress`: recording progress on stderr. On a terminal, one line that is
// rewritten in place; otherwise a line every 10 s, so that logs stay readable.
#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "collector/session/recording_progress.h"

namespace mansard::cli {

class ProfileProgress {
 public:
  using Clock = std::chrono::steady_clock;

  ProfileProgress();
  ~ProfileProgress();  // clears the line
  ProfileProgress(const ProfileProgress&) = delete;
  ProfileProgress& operator=(const ProfileProgress&) = delete;

  // Call about twice per second.
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
  Clock::time_point next_;  // when to print the next line
};

}  // namespace mansard::cli
