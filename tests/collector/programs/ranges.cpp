// SPDX-License-Identifier: Apache-2.0
// ranges THREADS RANGES: each thread enters RANGES ranges, every other one nested and annotated.
// Prints a sum, so that a test can check that recording does not change the result.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "kernels/annotation/range.h"

int main(int, char** argv) {
  const int threads = std::atoi(argv[1]);
  const int ranges = std::atoi(argv[2]);
  std::vector<long> sums(static_cast<std::size_t>(threads), 0);
  std::vector<std::thread> running;
  for (long& sum : sums) {
    running.emplace_back([&sum, ranges] {
      for (int i = 0; i < ranges / 2; ++i) {
        const mansard::kernels::AnnotatedRange outer("step");
        const mansard::kernels::AnnotatedRange inner("fprop | flop=2e9 dram=3e6 precision=fp32");
        sum += i;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  long total = 0;
  for (const long sum : sums) total += sum;
  std::printf("%ld\n", total);
}
