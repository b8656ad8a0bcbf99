// SPDX-License-Identifier: Apache-2.0
// Rows with headings. Times are in ns, positions in pixels.
#include "reports/figure/timeline_groups.h"

#include <gtest/gtest.h>

#include "collector/store/global_ids.h"
#include "reports/figure/timeline_builder.h"
#include "reports/figure/timeline_layout.h"

namespace mansard::figure {
namespace {

Timeline two_devices_and_a_thread() {
  TimelineBuilder builder;
  const std::uint32_t key = builder.add_name("k", "gemm");
  const std::uint32_t range = builder.add_name("r", kRangeClass);
  builder.add_track(TrackKind::stream, "GPU 0 stream 7", 0, {{0, 10, key}, {5, 20, key}}, {1, 7});
  builder.add_track(TrackKind::stream, "GPU 1 stream 7", 1, {{0, 10, key}}, {2, 7});
  builder.add_track(TrackKind::host_ranges, "thread 9", -1, {{0, 10, range}}, {0, 9});
  builder.add_track(TrackKind::calls, "thread 9 calls", -1, {{0, 10, range}}, {0, 9});
  LineTrack power("GPU 1 power", "W", 1);
  power.add(0, 100);
  power.add(10, 200);
  builder.add_line(std::move(power));
  return builder.take();
}

TEST(TimelineGroups, AreDevicesWithTheirLinesAndThreads) {
  const Timeline timeline = two_devices_and_a_thread();
  const auto groups = groups_of(timeline);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].label, "GPU 0");
  EXPECT_EQ(groups[0].tracks, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[1].label, "GPU 1");
  EXPECT_EQ(groups[1].lines, std::vector<std::size_t>{0});
  EXPECT_EQ(groups[2].label, "thread 9");
  EXPECT_EQ(groups[2].tracks, (std::vector<std::size_t>{3, 4}));
}

// Threads of two processes, with global ids as in the store: the first process is rank 1.
TEST(TimelineGroups, ThreadsAreNamedWithTheirRankOrProcess) {
  constexpr std::int64_t kFirst = (std::int64_t{42} << 24) | 43;
  constexpr std::int64_t kSecond = (std::int64_t{52} << 24) | 53;
  TimelineBuilder builder;
  const std::uint32_t range = builder.add_name("r", kRangeClass);
  builder.add_track(TrackKind::host_ranges, "thread 43", -1, {{0, 10, range}}, {0, kFirst});
  builder.add_track(TrackKind::host_ranges, "thread 53", -1, {{0, 10, range}}, {0, kSecond});
  Timeline timeline = builder.take();
  timeline.ranks[store::process_key(kFirst)] = 1;
  const auto groups = groups_of(timeline);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].label, "rank 1, thread 43");
  EXPECT_EQ(groups[1].label, "process 52, thread 53");
  const TimelineRows rows = lay_out_groups(timeline, groups, {});
  EXPECT_EQ(rows.rows.at(1).label, "ranges") << "the heading names rank and thread";
}

TEST(TimelineGroups, LabelsOmitTheHeading) {
  const Timeline timeline = two_devices_and_a_thread();
  const TimelineRows rows = lay_out_groups(timeline, groups_of(timeline), {});
  std::vector<std::string> labels;
  for (const TimelineRow& row : rows.rows) labels.push_back(row.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"GPU 0", "stream 7", "", "GPU 1", "stream 7", "power",
                                              "thread 9", "ranges", "calls"}));
}

TEST(TimelineGroups, RowsFollowEachOtherWithoutOverlap) {
  const Timeline timeline = two_devices_and_a_thread();
  const TimelineRows rows = lay_out_groups(timeline, groups_of(timeline), {});
  double bottom = 0;
  for (const TimelineRow& row : rows.rows) {
    EXPECT_GE(row.box.top, bottom);
    EXPECT_GT(row.box.bottom, row.box.top);
    bottom = row.box.bottom;
  }
  EXPECT_EQ(bottom, rows.bottom);
  EXPECT_EQ(rows.rows[2].box.top - rows.rows[1].box.bottom, kLaneGap_px) << "lanes of one stream";
}

TEST(TimelineGroups, ClosedGroupsShowOnlyTheHeading) {
  const Timeline timeline = two_devices_and_a_thread();
  const TimelineRows rows =
      lay_out_groups(timeline, groups_of(timeline),
                     {.closed = {true, false, true}, .tracks = {false, false, true}, .lines = {}});
  std::vector<RowKind> kinds;
  for (const TimelineRow& row : rows.rows) kinds.push_back(row.kind);
  EXPECT_EQ(kinds, (std::vector<RowKind>{RowKind::heading, RowKind::heading, RowKind::line,
                                         RowKind::heading}));
}

TEST(TimelineGroups, EmptyTimelineHasNoRows) {
  const Timeline nothing;
  EXPECT_TRUE(groups_of(nothing).empty());
  EXPECT_EQ(lay_out_groups(nothing, {}, {}).bottom, 0);
}

}  // namespace
}  // namespace mansard::figure
