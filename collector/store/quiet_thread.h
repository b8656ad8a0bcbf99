// SPDX-License-Identifier: Apache-2.0
// A thread of ours inside somebody else's program.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace mansard {

// Counts quiet threads, for only_quiet_threads_left().
class QuietThreadCount {
 public:
  QuietThreadCount();
  ~QuietThreadCount();
  QuietThreadCount(const QuietThreadCount&) = delete;
  QuietThreadCount& operator=(const QuietThreadCount&) = delete;
};

// In a forked child, which has none of its parent's threads.
void forget_quiet_threads();

// Whether the main thread has ended and no other thread than quiet ones is left. Opens no file, as
// the program may close descriptors at any time.
bool only_quiet_threads_left();

// Every signal is blocked on it: the program's handlers must run on the program's threads. With
// SIGXFSZ blocked, a file that grows over the limit is an error of write() and not the program's
// end.
template <class Body>
std::thread start_quiet_thread(const char* name, Body body) {
  struct BlockSignals {
    sigset_t before;
    BlockSignals() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } blocked;
  std::thread thread([body = std::move(body)]() mutable {
    const QuietThreadCount counted;
    body();
  });
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace mansard
