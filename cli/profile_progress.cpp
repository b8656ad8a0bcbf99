// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_progress.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <sys/ioctl.h>

#include "cli/output.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLines = 10s;
// The writer updates its counts every 0.2 s; over 3 s that granularity does not show.
constexpr auto kRateSpan = 3s;

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
}

std::size_t width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

}  // namespace

ProfileProgress::ProfileProgress()
    : terminal_(is_terminal()), next_(Clock::now() + kBetweenLines) {}

ProfileProgress::~ProfileProgress() {
  if (terminal_ && written_) std::fputs("\r\033[K", stderr);
}

double ProfileProgress::events_per_s() const {
  const std::chrono::duration<double> span = recent_.back().time - recent_.front().time;
  if (span.count() <= 0) return 0;
  return static_cast<double>(recent_.back().events - recent_.front().events) / span.count();
}

void ProfileProgress::update(const collector::RecordingProgress& progress, Clock::time_point now) {
  recent_.push_back({now, progress.events});
  const Clock::duration span = terminal_ ? kRateSpan : kBetweenLines;
  while (recent_.size() > 2 && recent_[1].time + span <= now) recent_.pop_front();
  if (!terminal_ && now < next_) return;
  next_ += kBetweenLines;
  std::string text = format_whole(std::llround(events_per_s())) + " events/s, " +
                     format_whole(progress.events) + " events, " +
                     format_whole(progress.dropped_events) + " dropped, " +
                     format_capacity(static_cast<double>(progress.file_bytes));
  if (!terminal_) {
    say(text);
    return;
  }
  // A wrapped line could not be erased.
  text = ("mansard: " + text).substr(0, width());
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  written_ = true;
}

}  // namespace mansard::cli
