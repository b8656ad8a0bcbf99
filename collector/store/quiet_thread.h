// SPDX-License-Identifier: Apache-2.0
// A thread of ours inside somebody else's program.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace mansard {

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
  std::thread thread(std::move(body));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace mansard
