// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/core_clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "support/statistics.h"

namespace mansard::kernels {
namespace {

constexpr int kAddsPerBlock = 64;
constexpr int kBlocks = 96;  // 1.5 us at 4 GHz

// The addend is a register on purpose: from Golden Cove on, Intel's renamer folds additions of a
// small constant, and a chain of those runs at several a cycle.
#if defined(__x86_64__)
#define MANSARD_DEPENDENT_ADD "add %[addend], %[sum]\n\t"
#elif defined(__aarch64__)
#define MANSARD_DEPENDENT_ADD "add %[sum], %[sum], %[addend]\n\t"
#endif

#ifdef MANSARD_DEPENDENT_ADD
using Clock = std::chrono::steady_clock;

double chain_time_s() {
  std::uint64_t sum = 0;
  const std::uint64_t addend = 1;
  const Clock::time_point start = Clock::now();
  for (int block = 0; block < kBlocks; ++block) {
    // The loop's own instructions run beside the chain and cost it nothing.
    static_assert(kAddsPerBlock == 64);
    asm volatile(".rept 64\n\t" MANSARD_DEPENDENT_ADD ".endr"
                 : [sum] "+r"(sum)
                 : [addend] "r"(addend)
                 : "cc");
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What asking for the time adds to a time, which a chain this short would feel.
double timer_overhead_s() {
  double shortest_s = 1;
  for (int i = 0; i < 100; ++i) {
    const Clock::time_point start = Clock::now();
    shortest_s = std::min(shortest_s, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest_s;
}
#endif

}  // namespace

double measure_core_clock_hz(const std::function<void()>& load) {
#ifdef MANSARD_DEPENDENT_ADD
  static const double overhead_s = timer_overhead_s();
  constexpr std::size_t kChains = 5;
  std::array<double, kChains> times_s;
  for (std::size_t i = 0; i < kChains; ++i) {
    if (load && i > 0) load();
    times_s[i] = chain_time_s() - overhead_s;
  }
  double time_s = times_s[0];
  if (load) {
    // An interruption lengthens a chain, or shortens the next by letting the clock rise before it.
    time_s = median_in_place(times_s);
  } else {
    // No vector code lowers a clock this far, but an interruption lengthens a chain further.
    constexpr double kInterrupted = 0.6;
    const double shortest_s = *std::min_element(times_s.begin(), times_s.end());
    if (shortest_s < kInterrupted * time_s) time_s = shortest_s;
  }
  return kBlocks * kAddsPerBlock / time_s;
#else
  static_cast<void>(load);
  return 0;
#endif
}

}  // namespace mansard::kernels
