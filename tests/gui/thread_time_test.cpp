// SPDX-License-Identifier: Apache-2.0
#include "gui/thread_time.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(OwnTime, WithoutAWaitIsTheTimeOnAProcessor) {
  // 100 ms passed; for 70 of them a hypervisor had the processor, which no counter of ours tells.
  const ThreadTime before{1000 * kMs, 500 * kMs, 7 * kMs, 3, 0};
  const ThreadTime after{1100 * kMs, 530 * kMs, 7 * kMs, 3, 0};
  EXPECT_DOUBLE_EQ(own_ms(before, after), 30);
}

TEST(OwnTime, CountsWaitsOfItsOwnAccord) {
  const ThreadTime before{0, 0, 0, 3, 0};
  const ThreadTime after{100 * kMs, 10 * kMs, 20 * kMs, 4, 0};
  EXPECT_DOUBLE_EQ(own_ms(before, after), 80);
}

TEST(OwnTime, LeavesOutWhatOtherMachinesTook) {
  const ThreadTime before{0, 0, 0, 3, 50 * kMs};
  const ThreadTime after{100 * kMs, 10 * kMs, 20 * kMs, 4, 90 * kMs};
  EXPECT_DOUBLE_EQ(own_ms(before, after), 40);
}

// They are the mean of all processors, and late.
TEST(OwnTime, IsNeverLessThanTheTimeOnAProcessor) {
  const ThreadTime before{0, 0, 0, 3, 0};
  const ThreadTime after{100 * kMs, 10 * kMs, 20 * kMs, 4, 500 * kMs};
  EXPECT_DOUBLE_EQ(own_ms(before, after), 10);
}

TEST(OwnTime, OfThisThread) {
  const ThreadTime start = thread_time();
  while (thread_time().ran_ns - start.ran_ns < 20 * kMs) {
  }
  const ThreadTime computed = thread_time();
  EXPECT_GE(own_ms(start, computed), 20);
  EXPECT_GE(computed.wall_ns - start.wall_ns, 20 * kMs);

  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const ThreadTime slept = thread_time();
  EXPECT_GT(slept.gave_way, computed.gave_way);
  EXPECT_LT(slept.ran_ns - computed.ran_ns, 20 * kMs);
}

}  // namespace
}  // namespace mansard::gui
