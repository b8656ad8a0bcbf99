// SPDX-License-Identifier: Apache-2.0
// Threads of the collector inside the recorded program.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace mansard::collector {

// Blocks all signals except those of faults on this thread while it exists.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// While it exists, a failing write() of this thread only returns an error: neither a broken pipe
// (SIGPIPE) nor a file at its size limit (SIGXFSZ) ends the program.
class DiscardedWriteSignals {
 public:
  DiscardedWriteSignals();
  ~DiscardedWriteSignals();
  DiscardedWriteSignals(const DiscardedWriteSignals&) = delete;
  DiscardedWriteSignals& operator=(const DiscardedWriteSignals&) = delete;

 private:
  sigset_t discarded_;
  sigset_t before_;
};

// Counts quiet threads, for only_quiet_threads_left().
class QuietThreadCount {
 public:
  QuietThreadCount();
  ~QuietThreadCount();
  QuietThreadCount(const QuietThreadCount&) = delete;
  QuietThreadCount& operator=(const QuietThreadCount&) = delete;
};

// To be called in a forked child, which has none of its parent's threads.
void forget_quiet_threads();

// Whether the main thread has ended and only quiet threads are left. Opens no file, as the program
// may close descriptors at any time.
bool only_quiet_threads_left();

// Starts a thread with these signals blocked: the program's handlers must run on the program's
// threads, and no failing write may end the program. Throws std::system_error.
template <class Body>
std::thread start_background_thread(const char* name, Body body) {
  const BlockedSignals blocked;
  std::thread thread([body = std::move(body)]() mutable {
    const QuietThreadCount counted;
    body();
  });
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace mansard::collector
