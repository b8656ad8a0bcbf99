// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_lanes.h"

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

TEST(SliceLanes, ConsecutiveSlicesShareALane) {
  const SliceLanes out = divide_into_lanes({{0, 10, 1}, {10, 10, 2}, {10, 20, 3}, {25, 30, 4}});
  ASSERT_EQ(out.lanes.size(), 2u) << "an event without length at the begin of another";
  EXPECT_EQ(out.lanes[0].key, (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_EQ(out.lanes[1].key, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(out.left_out, 0u);
}

TEST(SliceLanes, NestedRangesGetTheLaneOfTheirDepth) {
  const SliceLanes out = divide_into_lanes(
      {{0, 100, 0}, {0, 50, 1}, {0, 50, 2}, {50, 100, 3}, {60, 70, 4}, {100, 110, 5}});
  ASSERT_EQ(out.lanes.size(), 3u);
  EXPECT_EQ(out.lanes[0].key, (std::vector<std::uint32_t>{0, 5}));
  EXPECT_EQ(out.lanes[1].key, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(out.lanes[2].key, (std::vector<std::uint32_t>{2, 4}));
}

TEST(SliceLanes, SortsUnorderedSlices) {
  const SliceLanes out = divide_into_lanes({{20, 30, 2}, {0, 10, 0}, {10, 20, 1}});
  ASSERT_EQ(out.lanes.size(), 1u);
  EXPECT_EQ(out.lanes[0].key, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(SliceLanes, NegativeDurationsAreLeftOut) {
  const SliceLanes out = divide_into_lanes({{10, 5, 0}, {20, 30, 1}});
  ASSERT_EQ(out.lanes.size(), 1u);
  EXPECT_EQ(out.lanes[0].size(), 1u);
  EXPECT_EQ(out.left_out, 1u);
}

TEST(SliceLanes, NoSlicesGiveNoLanes) { EXPECT_TRUE(divide_into_lanes({}).lanes.empty()); }

TEST(SliceLanes, AMillionAtOnceAreCountedNotDrawn) {
  const SliceLanes out = divide_into_lanes(std::vector<Slice>(1'000'000, {7, 9, 0}));
  EXPECT_EQ(out.lanes.size(), kMaxLanes);
  EXPECT_EQ(out.left_out, 1'000'000 - kMaxLanes);
}

}  // namespace
}  // namespace mansard::figure
