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

// The addend is in a register because, from Golden Cove on, Intel's renamer folds additions of
// small constants, and a chain of those runs at several per cycle.
#if defined(__x86_64__)
#define MANSARD_DEPENDENT_ADD "add %[addend], %[sum]\n\t"
#elif defined(__aarch64__)
#define MANSARD_DEPENDENT_ADD "add %[sum], %[sum], %[addend]\n\t"
#endif

#ifdef MANSARD_DEPENDENT_ADD
using SteadyClock = std::chrono::steady_clock;

double chain_time_s() {
  std::uint64_t sum = 0;
  const std::uint64_t addend = 1;
  const SteadyClock::time_point start = SteadyClock::now();
  for (int block = 0; block < kBlocks; ++block) {
    // The loop's own instructions execute in parallel with the chain and add no time.
    static_assert(kAddsPerBlock == 64);
    asm volatile(".rept 64\n\t" MANSARD_DEPENDENT_ADD ".endr"
                 : [sum] "+r"(sum)
                 : [addend] "r"(addend)
                 : "cc");
  }
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Overhead of reading the clock, which is significant for such short chains.
double timer_overhead_s() {
  double shortest_s = 1;
  for (int i = 0; i < 100; ++i) {
    const SteadyClock::time_point start = SteadyClock::now();
    shortest_s =
        std::min(shortest_s, std::chrono::duration<double>(SteadyClock::now() - start).count());
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
    // An interrupt lengthens a chain, or shortens the next one by letting the clock rise before it.
    time_s = median_in_place(times_s);
  } else {
    // Vector code never lowers the clock this far, but an interrupt can lengthen a chain further.
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
