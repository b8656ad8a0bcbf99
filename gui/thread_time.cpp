// SPDX-License-Identifier: Apache-2.0
#include "gui/thread_time.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include <sys/resource.h>

namespace mansard::gui {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

std::int64_t read_queued_ns() {
  std::FILE* file = std::fopen("/proc/thread-self/schedstat", "r");
  if (file == nullptr) return 0;
  long long ran_ns = 0;
  long long queued_ns = 0;
  const int read = std::fscanf(file, "%lld %lld", &ran_ns, &queued_ns);
  std::fclose(file);
  return read == 2 ? queued_ns : 0;
}

std::int64_t read_hypervisor_ns() {
  std::FILE* file = std::fopen("/proc/stat", "r");
  if (file == nullptr) return 0;
  long long ticks = 0;  // the eighth: user nice system idle iowait irq softirq steal
  const int read = std::fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks);
  std::fclose(file);
  const long per_second = sysconf(_SC_CLK_TCK);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (read != 1 || per_second <= 0 || processors <= 0) return 0;
  return ticks * (1'000'000'000LL / per_second) / processors;
}

// Reading it takes as long as many an event: at most once in kStealAge_ns.
std::int64_t hypervisor_ns(std::int64_t now_ns) {
  thread_local std::int64_t read_at_ns = -kStealAge_ns;
  thread_local std::int64_t last_ns = 0;
  if (now_ns - read_at_ns >= kStealAge_ns) {
    read_at_ns = now_ns;
    last_ns = read_hypervisor_ns();
  }
  return last_ns;
}

std::int64_t times_gave_way() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

}  // namespace

ThreadTime thread_time() {
  ThreadTime time;
  time.wall_ns = clock_ns(CLOCK_MONOTONIC);
  time.ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  time.queued_ns = read_queued_ns();
  time.gave_way = times_gave_way();
  time.hypervisor_ns = hypervisor_ns(time.wall_ns);
  return time;
}

double own_ms(const ThreadTime& before, const ThreadTime& after) {
  const std::int64_t ran_ns = after.ran_ns - before.ran_ns;
  if (after.gave_way == before.gave_way) return static_cast<double>(ran_ns) * 1e-6;
  const std::int64_t others_ns =
      after.queued_ns - before.queued_ns + after.hypervisor_ns - before.hypervisor_ns;
  const std::int64_t waited_ns = after.wall_ns - before.wall_ns - ran_ns - others_ns;
  return static_cast<double>(ran_ns + std::max<std::int64_t>(waited_ns, 0)) * 1e-6;
}

}  // namespace mansard::gui
