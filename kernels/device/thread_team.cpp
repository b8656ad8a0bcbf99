// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/thread_team.h"

#include <algorithm>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace mansard::kernels {
namespace {

void pin(std::thread& thread, int cpu) {
  // Dynamically sized, because cpu_set_t ends at 1024 CPUs.
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(cpu + 1),
                                                             [](cpu_set_t* s) { CPU_FREE(s); });
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(cpu, bytes, set.get());
  const int error = pthread_setaffinity_np(thread.native_handle(), bytes, set.get());
  if (error != 0) {
    throw std::runtime_error("cannot pin a thread to CPU " + std::to_string(cpu) + ": " +
                             std::strerror(error) + "; check the affinity mask (taskset -p)");
  }
}

void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(const std::vector<int>& cpus) {
  if (cpus.empty()) throw std::runtime_error("a thread team needs at least one CPU");
  for (std::size_t i = 0; i < cpus.size(); ++i) members_.push_back(std::make_unique<Member>());
  try {
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      members_[i]->thread = std::thread([this, i] { serve(static_cast<int>(i)); });
      pin(members_[i]->thread, cpus[i]);
    }
  } catch (...) {
    stop();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  stopping_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (const auto& member : members_) {
    if (member->thread.joinable()) member->thread.join();
  }
}

double ThreadTeam::run(const Body& timed, const Body& afterwards) {
  timed_ = &timed;
  afterwards_ = &afterwards;
  arrived_.store(0, std::memory_order_relaxed);
  running_.store(size(), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (int left; (left = running_.load(std::memory_order_acquire)) != 0;) running_.wait(left);

  std::exception_ptr error;
  for (const auto& member : members_) {
    const std::exception_ptr thrown = std::exchange(member->error, nullptr);
    if (!error) error = thrown;
  }
  if (error) std::rethrow_exception(error);
  Clock::time_point start = members_.front()->start;
  Clock::time_point end = members_.front()->end;
  for (const auto& member : members_) {
    start = std::min(start, member->start);
    end = std::max(end, member->end);
  }
  return std::chrono::duration<double>(end - start).count();
}

void ThreadTeam::serve(int thread) {
  for (unsigned seen = 0;;) {
    generation_.wait(seen, std::memory_order_acquire);
    seen = generation_.load(std::memory_order_acquire);
    if (stopping_) return;
    execute(thread);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

void ThreadTeam::execute(int thread) {
  Member& member = *members_[static_cast<std::size_t>(thread)];
  try {
    start_together();
    member.start = Clock::now();
    (*timed_)(thread);
    member.end = Clock::now();
    if (*afterwards_) (*afterwards_)(thread);
  } catch (...) {
    member.error = std::current_exception();
  }
}

// Spins, because waking a sleeping thread takes tens of microseconds. Yields after a while, so that
// a late thread can run on a core that is shared with another program.
void ThreadTeam::start_together() {
  constexpr int kSpins = 10'000;
  arrived_.fetch_add(1, std::memory_order_acq_rel);
  for (int spins = 0; arrived_.load(std::memory_order_acquire) < size(); ++spins) {
    if (spins < kSpins) {
      spin_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace mansard::kernels
