// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/core_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace mansard {
namespace {

constexpr int kAddsPerBlock = 64;
constexpr int kBlocks = 1000;

// The addend is a register on purpose: from Golden Cove on, Intel's renamer folds additions of a
// small constant, and a chain of those runs at several a cycle.
#if defined(__x86_64__)
#define MANSARD_DEPENDENT_ADD "add %[addend], %[sum]\n\t"
#elif defined(__aarch64__)
#define MANSARD_DEPENDENT_ADD "add %[sum], %[sum], %[addend]\n\t"
#endif

#ifdef MANSARD_DEPENDENT_ADD
double chain_time_s() {
  using Clock = std::chrono::steady_clock;
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
#endif

}  // namespace

double measure_core_clock_hz() {
#ifdef MANSARD_DEPENDENT_ADD
  // An interruption only lengthens a chain, so the shortest of a few is the undisturbed one.
  double shortest_s = chain_time_s();
  for (int i = 0; i < 4; ++i) shortest_s = std::min(shortest_s, chain_time_s());
  return kBlocks * kAddsPerBlock / shortest_s;
#else
  return 0;
#endif
}

}  // namespace mansard
