// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/thread_team.h"

#include <chrono>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/device/host_topology.h"

namespace mansard::kernels {
namespace {

using namespace std::chrono_literals;

TEST(ThreadTeam, RunsEveryThreadExactlyOncePerRun) {
  ThreadTeam team(read_host_topology().cpus);
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(team.size()));
  constexpr int kRuns = 200;
  for (int run = 1; run <= kRuns; ++run) {
    team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    for (const std::atomic<int>& count : calls) ASSERT_EQ(count, run);
  }
}

TEST(ThreadTeam, PinsEachThreadToItsCpu) {
  const std::vector<int> cpus = read_host_topology().cpus;
  ThreadTeam team(cpus);
  std::vector<int> ran_on(cpus.size(), -1);
  std::vector<int> allowed(cpus.size(), -1);
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    ran_on[t] = sched_getcpu();
    cpu_set_t set;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0) allowed[t] = CPU_COUNT(&set);
  });
  EXPECT_EQ(ran_on, cpus);
  EXPECT_EQ(allowed, std::vector<int>(cpus.size(), 1));
}

// Also with several threads on one CPU, as on a machine with a single core.
TEST(ThreadTeam, StartsThreadsOnlyWhenAllAreReady) {
  const int cpu = read_host_topology().cpus.front();
  ThreadTeam team({cpu, cpu, cpu});
  std::atomic<int> inside = 0;
  team.run([&](int) {
    ++inside;
    // Terminates only if the other threads also run.
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (inside < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 3);
}

TEST(ThreadTeam, TimesTheSlowestThreadWithoutTheAfterwardsWork) {
  ThreadTeam team(read_host_topology().cpus);
  const int slowest = team.size() - 1;
  std::vector<std::thread::id> timed(static_cast<std::size_t>(team.size()));
  std::vector<std::thread::id> afterwards(timed.size());
  const auto begin = std::chrono::steady_clock::now();
  const double time_s = team.run(
      [&](int thread) {
        timed[static_cast<std::size_t>(thread)] = std::this_thread::get_id();
        if (thread == slowest) std::this_thread::sleep_for(20ms);
      },
      [&](int thread) {
        afterwards[static_cast<std::size_t>(thread)] = std::this_thread::get_id();
        std::this_thread::sleep_for(200ms);
      });
  const double whole_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GE(time_s, 0.020);
  EXPECT_LE(time_s, whole_s - 0.2);
  EXPECT_EQ(timed, afterwards);
}

TEST(ThreadTeam, RethrowsAndStaysUsable) {
  ThreadTeam team(read_host_topology().cpus);
  EXPECT_THROW(team.run([](int thread) {
    if (thread == 0) throw std::runtime_error("injected");
  }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  EXPECT_NO_THROW(team.run([&](int) { ++calls; }));
  EXPECT_EQ(calls, team.size());
}

TEST(ThreadTeam, RejectsANonexistentCpu) {
  try {
    ThreadTeam team({read_host_topology().cpus.front(), 1'000'000});
    FAIL() << "pinned a thread to CPU 1000000";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("1000000"), std::string::npos) << error.what();
  }
  EXPECT_THROW(ThreadTeam(std::vector<int>{}), std::runtime_error);
}

}  // namespace
}  // namespace mansard::kernels
