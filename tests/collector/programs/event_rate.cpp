// SPDX-License-Identifier: Apache-2.0
// event_rate THREADS RATE SECONDS: RATE ranges per second in total, evenly over THREADS, for
// SECONDS. Prints their number and duration, as a busy machine may fall behind.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "kernels/annotation/range.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  if (argc != 4) return 2;
  const int threads = std::atoi(argv[1]);
  const double rate_per_thread = std::atof(argv[2]) / threads;
  const auto ranges = static_cast<long>(rate_per_thread * std::atof(argv[3]));
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([=] {
      long entered = 0;
      while (entered < ranges) {
        const double elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
        const auto due = static_cast<long>(elapsed_s * rate_per_thread);
        for (; entered < ranges && entered < due; ++entered) {
          const mansard::kernels::AnnotatedRange range("tick | flop=1e6 hbm=1e3 precision=bf16");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  std::printf("%ld %.3f\n", threads * ranges, elapsed.count());
}
