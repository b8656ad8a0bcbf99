// SPDX-License-Identifier: Apache-2.0
#include "collector/session/background_thread.h"

#include <atomic>
#include <cerrno>
#include <ctime>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

namespace mansard::collector {
namespace {

constinit std::atomic<int> quiet_threads = 0;

bool can_read_link(const char* link) {
  char target;
  return readlink(link, &target, 1) >= 0;
}

}  // namespace

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigfillset(&blocked);
  // A fault in this thread must reach the crash reporter of the program: the kernel ends the
  // process without calling a handler if these are blocked.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

DiscardedWriteSignals::DiscardedWriteSignals() {
  sigset_t pending;
  sigpending(&pending);
  sigemptyset(&discarded_);
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    // A signal that is already pending belongs to the program.
    if (sigismember(&pending, number) == 0) sigaddset(&discarded_, number);
  }
  pthread_sigmask(SIG_BLOCK, &discarded_, &before_);
}

DiscardedWriteSignals::~DiscardedWriteSignals() {
  const int error = errno;
  const timespec at_once{};
  while (sigtimedwait(&discarded_, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

QuietThreadCount::QuietThreadCount() { ++quiet_threads; }
QuietThreadCount::~QuietThreadCount() { --quiet_threads; }

void forget_quiet_threads() { quiet_threads = 0; }

bool only_quiet_threads_left() {
  // A thread that has ended but was not reaped (the main thread, while other threads live) has no
  // memory, hence no readable "exe" link.
  const std::string main_thread = "/proc/" + std::to_string(getpid()) + "/exe";
  if (can_read_link(main_thread.c_str()) || !can_read_link("/proc/thread-self/exe")) return false;
  // Link count of the folder: 2, plus one for each thread, including the ended one.
  struct stat tasks {};
  if (stat("/proc/self/task", &tasks) != 0) return false;
  constexpr nlink_t kOwnLinks = 2;
  constexpr nlink_t kEnded = 1;
  return tasks.st_nlink == kOwnLinks + kEnded + static_cast<nlink_t>(quiet_threads);
}

}  // namespace mansard::collector
