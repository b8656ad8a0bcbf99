// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr Rect kTimelinePlot{0, 0, 1000, 20};

std::shared_ptr<const ClassOfKey> classes(std::size_t count) {
  auto out = std::make_shared<ClassOfKey>(count);
  std::iota(out->begin(), out->end(), std::uint16_t{0});
  return out;
}

// Each key has its own class.
SliceTrack track_of(const std::vector<Slice>& slices, std::size_t keys = 16) {
  SliceColumns columns;
  for (const Slice& slice : slices) columns.push_back(slice);
  return SliceTrack(std::move(columns), classes(keys));
}

// `count` slices of at most `length_ns` with gaps of at most `gap_ns`; some of both are zero.
SliceTrack random_track(std::size_t count, std::int64_t length_ns, std::int64_t gap_ns,
                        std::size_t keys = 16) {
  std::mt19937_64 random(7);
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  SliceColumns columns;
  std::int64_t now_ns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now_ns += random() % 3 == 0 ? 0 : upto(gap_ns);
    const std::int64_t start_ns = now_ns;
    now_ns += random() % 16 == 0 ? 0 : upto(random() % 64 == 0 ? 40 * length_ns : length_ns);
    columns.push_back({start_ns, now_ns, static_cast<std::uint32_t>(random() % keys)});
  }
  return SliceTrack(std::move(columns), classes(keys));
}

TimeSpan span_of(const SliceTrack& track) {
  return {track.start_ns(0), track.end_ns(track.size() - 1)};
}

// Checks that all slices in the window are in exactly one block, in order, and all members of the
// blocks.
void expect_sound_blocks(const SliceTrack& track, const TimeScale& scale) {
  const std::vector<TimelineBlock> blocks = visible_blocks(track, scale, kTimelinePlot);
  std::size_t first = 0;
  while (first < track.size() && track.start_ns(first) < scale.start_ns() &&
         track.end_ns(first) <= scale.start_ns()) {
    ++first;
  }
  std::size_t next = first;
  for (const TimelineBlock& block : blocks) {
    ASSERT_EQ(block.first, next);
    ASSERT_GE(block.count, 1u);
    next += block.count;
    ASSERT_LE(next, track.size());
    EXPECT_EQ(block.start_ns, track.start_ns(block.first));
    EXPECT_EQ(block.end_ns, track.end_ns(next - 1));
    std::vector<std::int64_t> class_ns(16, 0);
    for (std::size_t i = block.first; i < next; ++i) {
      class_ns[track.class_of(i)] += track.duration_ns(i);
    }
    EXPECT_EQ(block.busy_ns, std::accumulate(class_ns.begin(), class_ns.end(), std::int64_t{0}));
    EXPECT_EQ(class_ns[block.of_class], *std::max_element(class_ns.begin(), class_ns.end()));
    EXPECT_GE(block.left_px, kTimelinePlot.left);
    EXPECT_LE(block.right_px, kTimelinePlot.right);
    EXPECT_GE(block.right_px - block.left_px, 1 - 1e-9);
    if (block.count > 1) {
      EXPECT_LT(scale.map(track.start_ns(next - 1)) - scale.map(block.start_ns),
                1.5 * kMergeWidth_px + 0.1)
          << "they start within one cell, or within half a one behind it";
    }
  }
  EXPECT_TRUE(next == track.size() || track.start_ns(next) > scale.end_ns());
}

TEST(VisibleBlocks, WideSlicesAreSingleBlocks) {
  const SliceTrack track = track_of({{0, 100, 1}, {100, 200, 2}, {300, 400, 1}});
  const auto blocks = visible_blocks(track, TimeScale({0, 1000}, 0, 1000), kTimelinePlot);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_DOUBLE_EQ(blocks[1].left_px, 100);
  EXPECT_DOUBLE_EQ(blocks[1].right_px, 200);
  EXPECT_EQ(blocks[1].of_class, 2);
  EXPECT_EQ(blocks[1].busy_share(), 1);
}

TEST(VisibleBlocks, NarrowSlicesOfACellAreMerged) {
  // A pixel is 10 ns and a cell 30.
  const SliceTrack track = track_of({{0, 2, 1}, {5, 15, 2}, {20, 22, 1}, {31, 34, 3}, {50, 90, 4}});
  const auto blocks = visible_blocks(track, TimeScale({0, 10'000}, 0, 1000), kTimelinePlot);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].count, 3u);
  EXPECT_EQ(blocks[0].of_class, 2) << "10 ns of it against 4";
  EXPECT_EQ(blocks[0].busy_ns, 14);
  EXPECT_NEAR(blocks[0].busy_share(), 14.0 / 22, 1e-12);
  EXPECT_EQ(blocks[1].count, 1u) << "in the next cell";
  EXPECT_EQ(blocks[2].count, 1u) << "40 ns is wide, though it begins in that cell as well";
}

TEST(VisibleBlocks, ContainEverySliceOnce) {
  const SliceTrack track = random_track(20'000, 1000, 700);
  const TimeScale whole(span_of(track), 0, 1000);
  for (double factor = 1; factor < 3e5; factor *= 2.3) {
    for (const double at : {0.0, 333.0, 1000.0}) {
      expect_sound_blocks(track, whole.zoomed(factor, at));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(VisibleBlocks, AreBoundedByPixels) {
  const SliceTrack track = random_track(200'000, 100, 100);
  const TimeScale whole(span_of(track), 0, 1000);
  for (const double factor : {1.0, 10.0, 100.0, 1000.0}) {
    EXPECT_LE(visible_blocks(track, whole.zoomed(factor, 500), kTimelinePlot).size(),
              2 * (1000 / kMergeWidth_px + 2));
  }
}

// The number of visited entries stands for the time, which tests do not measure.
TEST(VisibleBlocks, CostFollowsPixelsNotSlices) {
  std::size_t cost[2] = {0, 0};
  const std::size_t sizes[2] = {20'000, 2'000'000};
  for (const int i : {0, 1}) {
    const SliceTrack track = random_track(sizes[i], 1000, 100);
    visible_blocks(track, TimeScale(span_of(track), 0, 1000), kTimelinePlot, &cost[i]);
    const double cells = 1000 / kMergeWidth_px + 1;
    EXPECT_LT(static_cast<double>(cost[i]), cells * 2 * (2.0 * 64 + 2 * std::log2(sizes[i])));
  }
  EXPECT_LT(cost[1], 3 * cost[0]) << "a hundred times the slices";
}

// Except for blocks cut by the window.
TEST(VisibleBlocks, PanningChangesNoBlock) {
  SliceColumns columns;
  for (std::int64_t i = 0; i < 40'000; ++i) columns.push_back({100 * i, 100 * i + 60, 5});
  const SliceTrack track(std::move(columns), classes(16));
  const TimeScale scale = TimeScale(span_of(track), 0, 1000).zoomed(10, 500);
  const auto before = visible_blocks(track, scale, kTimelinePlot);
  const auto after = visible_blocks(track, scale.panned(-1.7), kTimelinePlot);
  ASSERT_GT(after.size(), 300u) << "of twelve slices each";
  for (std::size_t i = 2; i + 2 < after.size(); ++i) {
    const auto same = [&](const TimelineBlock& other) {
      return other.first == after[i].first && other.count == after[i].count;
    };
    EXPECT_TRUE(std::any_of(before.begin(), before.end(), same)) << i;
  }
}

TEST(VisibleBlocks, EmptyWithoutSlices) {
  const SliceTrack track = track_of({});
  EXPECT_TRUE(visible_blocks(track, TimeScale({0, 100}, 0, 1000), kTimelinePlot).empty());
  EXPECT_EQ(block_at({}, 5, 100), nullptr);
}

TEST(VisibleBlocks, OneSliceFillsTheWindow) {
  const SliceTrack track = track_of({{0, 1'000'000, 3}});
  const TimeScale inside = TimeScale({0, 1'000'000}, 0, 1000).showing({400'000, 400'200});
  const auto blocks = visible_blocks(track, inside, kTimelinePlot);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].left_px, 0);
  EXPECT_EQ(blocks[0].right_px, 1000);
  EXPECT_EQ(blocks[0].of_class, 3);
}

TEST(VisibleBlocks, ZeroLengthSlicesAreOnePixelWide) {
  const SliceTrack track = track_of({{0, 0, 1}, {500, 500, 2}, {1000, 1000, 3}});
  const auto blocks = visible_blocks(track, TimeScale({0, 1000}, 0, 1000), kTimelinePlot);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].left_px, 0);
  EXPECT_EQ(blocks[1].right_px - blocks[1].left_px, 1);
  EXPECT_EQ(blocks[2].right_px, 1000) << "the one at the very end, too";
  EXPECT_EQ(blocks[2].left_px, 999);
  EXPECT_EQ(blocks[0].busy_share(), 1);
}

TEST(VisibleBlocks, ManyAtOneInstantAreOneBlock) {
  const SliceTrack track = track_of(std::vector<Slice>(5000, {70, 70, 2}));
  const auto blocks = visible_blocks(track, TimeScale({0, 100}, 0, 1000), kTimelinePlot);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].count, 5000u);
  EXPECT_EQ(blocks[0].of_class, 2);
}

TEST(VisibleBlocks, AMillionEqualSlices) {
  SliceColumns columns;
  for (std::int64_t i = 0; i < 1'000'000; ++i) columns.push_back({100 * i, 100 * i + 60, 5});
  const SliceTrack track(std::move(columns), classes(16));
  const auto blocks = visible_blocks(track, TimeScale(span_of(track), 0, 1000), kTimelinePlot);
  std::size_t count = 0;
  for (const TimelineBlock& block : blocks) {
    count += block.count;
    EXPECT_NEAR(block.busy_share(), 0.6, 0.001);
  }
  EXPECT_EQ(count, 1'000'000u);
  EXPECT_NEAR(static_cast<double>(blocks.size()), 1000 / kMergeWidth_px, 2);
}

TEST(VisibleBlocks, ExcludeSlicesThatOnlyTouchTheWindow) {
  const SliceTrack track = track_of({{0, 1000, 1}, {1000, 2000, 2}, {2001, 3000, 3}});
  const TimeScale scale = TimeScale({0, 3000}, 0, 1000).showing({1000, 2000});
  const auto blocks = visible_blocks(track, scale, kTimelinePlot);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].first, 1u);
}

TEST(SliceTrack, RejectsInvalidSlices) {
  EXPECT_THROW(track_of({{0, 10, 0}, {9, 20, 0}}), std::invalid_argument);
  EXPECT_THROW(track_of({{10, 9, 0}}), std::invalid_argument);
  EXPECT_THROW(track_of({{0, 1, 16}}), std::invalid_argument);
}

TEST(SliceTrack, MatchesBinarySearchWithFewSteps) {
  const SliceTrack track = random_track(100'000, 1000, 700);
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t from = random() % track.size();
    const std::int64_t time_ns = static_cast<std::int64_t>(
        random() % static_cast<std::uint64_t>(track.end_ns(track.size() - 1) + 100));
    std::size_t expected = from;
    if (track.start_ns(from) < time_ns) {
      std::size_t low = from, high = track.size();
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        track.start_ns(middle) < time_ns ? low = middle + 1 : high = middle;
      }
      expected = low;
    }
    std::size_t looked_at = 0;
    ASSERT_EQ(track.first_starting_at(time_ns, from, looked_at), expected);
    EXPECT_LE(looked_at, 40u);
  }
}

TEST(SliceTrack, IndexMatchesTheSlices) {
  const SliceTrack track = random_track(1000, 1000, 700);
  for (std::size_t i = 0; i < track.size(); ++i) {
    for (const std::size_t last : {i + 1, i + 7, i + track.chunk_size()}) {
      if (last > track.size()) continue;
      EXPECT_EQ(track.begin_ns(i), track.start_ns(i));
      EXPECT_EQ(track.done_ns(last), track.end_ns(last - 1));
    }
    for (const std::int64_t ns : {std::int64_t{1}, std::int64_t{500}, std::int64_t{100'000}}) {
      EXPECT_EQ(track.shorter_than(i, ns), track.duration_ns(i) < ns);
    }
  }
}

TEST(SliceTrack, IndexIsSmallHoweverManyClasses) {
  for (const std::size_t keys : {1u, 7u, 8u, 300u}) {
    const SliceTrack track = random_track(10'000, 100, 10, keys);
    EXPECT_LE(8.0 * static_cast<double>(track.classes().size() + 2) /
                  static_cast<double>(track.chunk_size()),
              4.0);
    std::vector<std::int64_t> sums(track.classes().size(), 0);
    std::size_t looked_at = 0;
    track.add_times(17, 9'871, sums, looked_at);
    EXPECT_LE(looked_at, 2 * track.chunk_size() + 2);
    std::vector<std::int64_t> expected(keys, 0);
    for (std::size_t i = 17; i < 9'871; ++i) expected[track.class_of(i)] += track.duration_ns(i);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], expected[track.classes()[i]]);
  }
}

TEST(BlockAt, FindsTheBlockUnderThePixelElseTheNearest) {
  const SliceTrack track = track_of({{100, 200, 0}, {200, 300, 1}, {310, 310, 2}, {600, 700, 3}});
  const auto blocks = visible_blocks(track, TimeScale({0, 1000}, 0, 1000), kTimelinePlot);
  ASSERT_EQ(blocks.size(), 4u);
  const auto found = [&](double x_px, double slack_px) -> std::ptrdiff_t {
    const TimelineBlock* block = block_at(blocks, x_px, slack_px);
    return block == nullptr ? -1 : block - blocks.data();
  };
  EXPECT_EQ(found(150, 0), 0);
  EXPECT_EQ(found(250, 0), 1);
  EXPECT_EQ(found(309, 2), 2);
  EXPECT_EQ(found(303, 4), 1);
  EXPECT_EQ(found(400, 5), -1);
  EXPECT_EQ(found(598, 3), 3);
  EXPECT_EQ(found(703, 3), 3);
}

}  // namespace
}  // namespace mansard::figure
