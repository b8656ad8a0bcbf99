// SPDX-License-Identifier: Apache-2.0
// How long this thread was held up by itself: computing, or waiting for a disk, a lock or a sleep.
// On a machine that others use too, the clock on the wall counts their work as well.
#pragma once

#include <cstdint>

namespace mansard::gui {

// What the system's clocks and counters say of this thread at one moment. Sources:
// clock_gettime(2), getrusage(2), /proc/thread-self/schedstat, and `steal` of /proc/stat in
// proc(5).
struct ThreadTime {
  std::int64_t wall_ns = 0;
  std::int64_t ran_ns = 0;     // on a processor; without what a hypervisor took, on Linux in KVM
  std::int64_t queued_ns = 0;  // ready to run while others ran
  std::int64_t gave_way = 0;   // times it waited for something of its own accord
  // In which a processor was another machine's: the mean over all, up to kStealAge_ns old.
  std::int64_t hypervisor_ns = 0;
};

inline constexpr std::int64_t kStealAge_ns = 50'000'000;

// What the system does not tell stays 0: others' time then counts as the thread's own. Without
// gave_way, which all of Linux tells, no wait counts.
ThreadTime thread_time();

// The milliseconds from one moment to a later one that were the thread's own doing. Without a
// single wait of its own accord that is the time on a processor alone.
double own_ms(const ThreadTime& before, const ThreadTime& after);

}  // namespace mansard::gui
