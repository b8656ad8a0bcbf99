// SPDX-License-Identifier: Apache-2.0
// A thread of ours inside somebody else's program.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace mansard::collector {

// While it lives, this thread receives no signal.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// While it lives, a write() of this thread that fails is an error and nothing else: neither a
// broken pipe (SIGPIPE) nor a file at its limit (SIGXFSZ) ends the program.
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

// In a forked child, which has none of its parent's threads.
void forget_quiet_threads();

// Whether the main thread has ended and no other thread than quiet ones is left. Opens no file, as
// the program may close descriptors at any time.
bool only_quiet_threads_left();

// Every signal is blocked on it: the program's handlers must run on the program's threads, and no
// failing write may end the program. Throws std::system_error.
template <class Body>
std::thread start_quiet_thread(const char* name, Body body) {
  const BlockedSignals blocked;
  std::thread thread([body = std::move(body)]() mutable {
    const QuietThreadCount counted;
    body();
  });
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace mansard::collector
