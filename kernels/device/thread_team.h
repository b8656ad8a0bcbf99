// SPDX-License-Identifier: Apache-2.0
// Threads pinned to one core each, which start together and are timed together.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace mansard::kernels {

class ThreadTeam {
 public:
  using Body = std::function<void(int thread)>;

  // One thread on each of `cpus` (CPU numbers of the operating system). Throws std::runtime_error
  // if a thread cannot be pinned.
  explicit ThreadTeam(const std::vector<int>& cpus);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(members_.size()); }

  // Runs `timed` once on every thread, all starting at once, and returns the seconds from the
  // common start to the end of the last thread. Each thread then runs `afterwards` immediately,
  // outside the returned time. Rethrows exceptions of the threads.
  double run(const Body& timed, const Body& afterwards = {});

 private:
  using Clock = std::chrono::steady_clock;
  // One cache line each, so that a thread storing its end time does not disturb threads still being
  // timed.
  struct alignas(64) Member {
    std::thread thread;
    Clock::time_point start;
    Clock::time_point end;
    std::exception_ptr error;
  };

  void serve(int thread);
  void execute(int thread);
  void start_together();
  void stop();

  std::vector<std::unique_ptr<Member>> members_;
  const Body* timed_ = nullptr;
  const Body* afterwards_ = nullptr;
  bool stopping_ = false;
  alignas(64) std::atomic<unsigned> generation_ = 0;  // counts runs; idle threads wait on it
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<int> running_ = 0;
};

}  // namespace mansard::kernels
