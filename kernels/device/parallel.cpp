// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace mansard::kernels {

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body, int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto workers = static_cast<int>(std::min<std::int64_t>(threads, count));
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < workers; ++t) others.emplace_back(work);
  work();
}

}  // namespace mansard::kernels
