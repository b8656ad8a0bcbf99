// SPDX-License-Identifier: Apache-2.0
#include "support/clocks_event_reasons.h"

#include <gtest/gtest.h>

namespace mansard {
namespace {

TEST(ClocksEventReasons, AreNamed) {
  EXPECT_EQ(describe_clocks_event_reasons(0), "");
  EXPECT_EQ(describe_clocks_event_reasons(0x4), "software power cap");
  EXPECT_EQ(describe_clocks_event_reasons(0x8 | 0x40 | 0x80),
            "hardware slowdown, hardware thermal slowdown, hardware power brake");
  EXPECT_EQ(describe_clocks_event_reasons(0x1 | 0x4000), "idle, 0x4000");
}

TEST(ClocksEventReasons, ChoicesAndIdlenessDoNotThrottle) {
  EXPECT_EQ(throttling_bits(0x1 | 0x2 | 0x10 | 0x100 | 0x4000), 0u);
  EXPECT_EQ(throttling_bits(0x1ff), 0x4u | 0x8u | 0x20u | 0x40u | 0x80u);
}

TEST(ClocksEventReasons, EachIsOneBitAndHasAName) {
  std::uint64_t all = 0;
  for (const ClocksEventReason& reason : clocks_event_reasons()) {
    EXPECT_EQ(reason.bit & (reason.bit - 1), 0u);
    EXPECT_EQ(all & reason.bit, 0u);
    EXPECT_FALSE(reason.name.empty());
    all |= reason.bit;
  }
  EXPECT_EQ(all, 0x1ffu);
}

}  // namespace
}  // namespace mansard
