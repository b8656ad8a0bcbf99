// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/process_group.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/kernels/distributed/run_ranks.h"

namespace mansard::kernels {
namespace {

std::string message_of(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(ProcessGroup, OneRankNeedsNoConnection) {
  ProcessGroup group(0, 1, {"nowhere.invalid", 1}, "");
  float x = 3;
  group.all_reduce(&x, 1);
  group.barrier();
  EXPECT_EQ(x, 3);
  EXPECT_EQ(group.broadcast("text"), "text");
  EXPECT_EQ(group.sum(2), 2);
}

// More elements than travel at once, and not a multiple.
TEST(ProcessGroup, AddsInTheOrderOfRanks) {
  constexpr std::int64_t kCount = (1 << 18) + 12345;
  std::vector<std::vector<float>> results(3);
  run_ranks(3, [&](ProcessGroup& group) {
    std::vector<float> x(static_cast<std::size_t>(kCount));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 0.1f * static_cast<float>(group.rank() + 1) + static_cast<float>(i % 1000);
    }
    group.all_reduce(x.data(), kCount);
    results[static_cast<std::size_t>(group.rank())] = x;
  });
  for (const std::size_t i : {std::size_t{0}, std::size_t{999}, results[0].size() - 1}) {
    const float base = static_cast<float>(i % 1000);
    EXPECT_EQ(results[0][i], ((0.1f * 1 + base) + (0.1f * 2 + base)) + (0.1f * 3 + base)) << i;
  }
  EXPECT_TRUE(results[1] == results[0]);
  EXPECT_TRUE(results[2] == results[0]);
}

TEST(ProcessGroup, GathersBroadcastsAndSums) {
  run_ranks(4, [](ProcessGroup& group) {
    std::vector<std::int32_t> all(8, -1);
    const auto own = static_cast<std::size_t>(2 * group.rank());
    all[own] = 10 * group.rank();
    all[own + 1] = 10 * group.rank() + 1;
    group.all_gather(all.data(), 8);
    EXPECT_EQ(all, (std::vector<std::int32_t>{0, 1, 10, 11, 20, 21, 30, 31}));
    EXPECT_EQ(group.broadcast("from " + std::to_string(group.rank())), "from 0");
    EXPECT_EQ(group.broadcast(group.rank() == 0 ? "" : "not empty"), "");
    EXPECT_DOUBLE_EQ(group.sum(group.rank() + 0.5), 8);
    group.barrier();
  });
}

TEST(ProcessGroup, AllRanksThrowWhatOneDoesNotAgreeTo) {
  const auto errors = errors_of_ranks(3, [](ProcessGroup& group) {
    group.agree([] {});
    try {
      group.agree([&] {
        if (group.rank() == 1) throw std::runtime_error("has no memory");
      });
    } catch (const std::runtime_error&) {
      group.barrier();  // the group is still usable
      group.leave();
      throw;
    }
  });
  EXPECT_EQ(message_of(errors[0]), "another rank has failed");
  EXPECT_EQ(message_of(errors[1]), "has no memory");
  EXPECT_EQ(message_of(errors[2]), "another rank has failed");
}

TEST(ProcessGroup, ReportsDifferentOperations) {
  const auto errors = errors_of_ranks(2, [](ProcessGroup& group) {
    float x = 1;
    if (group.rank() == 0) {
      group.barrier();
    } else {
      group.all_reduce(&x, 1);
    }
  });
  EXPECT_NE(message_of(errors[0]).find("rank 1 is at operation"), std::string::npos);
  EXPECT_NE(message_of(errors[1]), "");
}

// Whatever rank ends, all others learn which, also those that are not connected to it.
TEST(ProcessGroup, NamesTheRankThatEnded) {
  for (const int lost : {0, 2}) {
    const auto errors = errors_of_ranks(4, [&](ProcessGroup& group) {
      if (group.rank() == lost) throw std::runtime_error("dies");
      float x = 1;
      group.all_reduce(&x, 1);
    });
    for (int r = 0; r < 4; ++r) {
      const std::string expected =
          r == lost ? "dies" : "rank " + std::to_string(lost) + " has ended";
      EXPECT_EQ(message_of(errors[static_cast<std::size_t>(r)]), expected) << "rank " << r;
    }
  }
}

// The callback runs although no operation of the group is in progress.
TEST(ProcessGroup, CallsBackWhenARankIsLost) {
  const auto errors = errors_of_ranks(3, [](ProcessGroup& group) {
    if (group.rank() == 1) throw std::runtime_error("dies");
    std::mutex mutex;
    std::condition_variable changed;
    bool lost = false;
    group.on_loss([&] {
      const std::scoped_lock lock(mutex);
      lost = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return lost; }));
    lock.unlock();
    group.on_loss(nullptr);
    group.require_all();
  });
  EXPECT_EQ(message_of(errors[0]), "rank 1 has ended");
  EXPECT_EQ(message_of(errors[2]), "rank 1 has ended");
}

TEST(ProcessGroup, LeavingIsNoLoss) {
  run_ranks(3, [](ProcessGroup& group) {
    group.barrier();
    if (group.rank() != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    group.require_all();
  });
}

// Ranks 0, 1 and 3 of 5, then all.
TEST(ProcessGroup, DoesWithoutAbsentRanksUntilTheyCome) {
  const Rendezvous place = free_rendezvous();
  const std::atomic<bool> canceled = false;
  std::atomic<bool> comes = false;
  const auto connect = [&](int rank, bool others_may_be_absent) {
    return ProcessGroup::connect_again(rank, 5, place, "test", others_may_be_absent, canceled);
  };
  std::vector<std::thread> threads;
  for (const int rank : {0, 1, 3}) {
    threads.emplace_back([&, rank] {
      auto group = connect(rank, true);
      EXPECT_EQ(group->size(), 3);
      EXPECT_EQ(group->rank(), rank == 3 ? 2 : rank);
      EXPECT_EQ(group->absent_rank(), 2);
      EXPECT_FALSE(group->has_newcomer());
      EXPECT_EQ(group->sum(rank), 4);
      comes = true;
      bool has_newcomer = false;
      while (!has_newcomer) has_newcomer = group->sum(group->has_newcomer() ? 1 : 0) > 0;
      group->leave();
      group.reset();
      group = connect(rank, true);
      EXPECT_EQ(group->size(), 5);
      EXPECT_EQ(group->rank(), rank);
      EXPECT_EQ(group->absent_rank(), std::nullopt);
      EXPECT_EQ(group->sum(rank), 10);
      group->leave();
    });
  }
  for (const int rank : {2, 4}) {
    threads.emplace_back([&, rank] {
      while (!comes) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const auto group = connect(rank, false);
      EXPECT_EQ(group->size(), 5);
      EXPECT_EQ(group->sum(rank), 10);
      group->leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Also where it is another one in the group.
TEST(ProcessGroup, NamesALostRankByItsRankInTheJob) {
  const Rendezvous place = free_rendezvous();
  const std::atomic<bool> canceled = false;
  std::vector<std::thread> threads;
  for (const int rank : {0, 2, 3}) {
    threads.emplace_back([&, rank] {
      const auto group = ProcessGroup::connect_again(rank, 4, place, "test", true, canceled);
      if (rank == 3) return;
      try {
        while (true) group->barrier();
      } catch (const LostRank& error) {
        EXPECT_EQ(error.rank(), 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ProcessGroup, NamesTheRanksThatAreMissing) {
  const Rendezvous place = free_rendezvous();
  try {
    ProcessGroup group(0, 3, place, "", std::chrono::milliseconds(200));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "these of 3 ranks did not connect to rank 0 at " + place.text() + ": 1, 2");
  }
  EXPECT_THROW(ProcessGroup(1, 3, place, "", std::chrono::milliseconds(200)), std::runtime_error);
  EXPECT_THROW(ProcessGroup(3, 3, place, ""), std::invalid_argument);
}

TEST(ProcessGroup, RefusesRanksWithOtherOptions) {
  const Rendezvous place = free_rendezvous();
  std::string of_rank_1;
  std::thread other([&] {
    try {
      ProcessGroup group(1, 2, place, "batch 8", std::chrono::seconds(10));
    } catch (const std::runtime_error& error) {
      of_rank_1 = error.what();
    }
  });
  EXPECT_THROW(ProcessGroup(0, 2, place, "batch 4", std::chrono::seconds(10)), std::runtime_error);
  other.join();
  EXPECT_EQ(of_rank_1,
            "rank 0 refuses rank 1: it was started with other options: batch 8; rank 0: batch 4");
}

// Something else that connects to the port.
TEST(ProcessGroup, IgnoresStrangers) {
  const Rendezvous place = free_rendezvous();
  std::thread stranger([&] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(place.port));
    for (int i = 0; i < 400; ++i) {
      const Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
      if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        const std::string text(200, 'x');
        socket.send(text.data(), text.size());
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ProcessGroup group(1, 2, place, "", std::chrono::seconds(10));
    EXPECT_EQ(group.sum(1), 2);
    group.leave();
  });
  ProcessGroup group(0, 2, place, "", std::chrono::seconds(10));
  EXPECT_EQ(group.sum(1), 2);
  group.leave();
  other.join();
  stranger.join();
}

TEST(ProcessGroup, NamesAPortInUse) {
  const Rendezvous place = free_rendezvous();
  const Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(place.port));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(socket.get(), 1), 0);
  try {
    ProcessGroup group(0, 2, place, "", std::chrono::milliseconds(200));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot listen on port"), std::string::npos);
  }
}

}  // namespace
}  // namespace mansard::kernels
