// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <sched.h>

namespace mansard::collector {

// A lock shared by one program thread and the writer, which takes it five times a second. It is
// nearly always free, and then costs half as much as std::mutex.
class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_ = false;
};

}  // namespace mansard::collector
