// SPDX-License-Identifier: Apache-2.0
// From launches to slices and back, and which boxes pass a filter. Times are ns.
#include "gui/models/launch_slices.h"

#include <gtest/gtest.h>

#include "gui/models/slice_filter.h"
#include "tests/gui/timed_run.h"

namespace mansard {
namespace {

std::size_t row_named(const OpenRun& run, const std::string& name) {
  for (std::size_t i = 0; i < run.analysis.rows.size(); ++i) {
    if (run.analysis.rows[i].name == name) return i;
  }
  ADD_FAILURE() << name;
  return 0;
}

std::size_t track_of(const OpenRun& run, TrackKind kind, std::int64_t stream_id) {
  for (std::size_t i = 0; i < run.timeline.tracks.size(); ++i) {
    const TimelineTrack& track = run.timeline.tracks[i];
    if (track.kind == kind && track.queue.stream_id == stream_id) return i;
  }
  ADD_FAILURE() << "no track";
  return 0;
}

TEST(LaunchSlices, OfEveryLaunchIsTheSliceWhoseLaunchItIs) {
  for (const auto& run : {testing::timed_run(), testing::annotated_host_run()}) {
    ASSERT_GT(run->launches.size(), 0u);
    for (std::size_t launch = 0; launch < run->launches.size(); ++launch) {
      const auto slice = slice_of(*run, launch);
      ASSERT_TRUE(slice) << launch;
      EXPECT_EQ(launch_of(*run, *slice), launch);
    }
  }
}

TEST(LaunchSlices, OfCopiesRangesAndCallsThereIsNone) {
  const auto run = testing::timed_run();
  std::size_t without = 0;
  for (std::size_t t = 0; t < run->timeline.tracks.size(); ++t) {
    const TimelineTrack& track = run->timeline.tracks[t];
    for (std::size_t i = 0; i < track.slices.size(); ++i) {
      const bool kernel = run->timeline.names[track.slices.key(i)].row >= 0;
      EXPECT_EQ(launch_of(*run, {t, i}).has_value(), kernel);
      without += kernel ? 0 : 1;
    }
  }
  EXPECT_GT(without, 50u);
}

TEST(LaunchSlices, KnowTheCallOfALaunch) {
  const auto run = testing::timed_run();
  for (std::size_t launch = 0; launch < run->launches.size(); ++launch) {
    const auto call = call_of(*run, launch);
    ASSERT_TRUE(call);
    const TimelineTrack& track = run->timeline.tracks[call->track];
    EXPECT_EQ(track.kind, TrackKind::calls);
    const std::int64_t correlation = run->analysis.profile.kernels[launch].correlation_id;
    const auto& calls = run->analysis.profile.api_calls;
    const auto own = std::ranges::find(calls, correlation, &ApiRecord::correlation_id);
    EXPECT_EQ(track.slices.start_ns(call->slice), own->start_ns);
  }
  test::ProfileBuilder builder;
  builder.kernel(0, 10, "never_called");
  builder.kernel(20, 30, "without_id").correlation_id = 0;
  builder.call(1, "cudaLaunchKernel", 77);
  builder.call(2, "cudaGetLastError", 0);
  const auto without = testing::prepared(builder);
  EXPECT_EQ(call_of(*without, 0), std::nullopt);
  EXPECT_EQ(call_of(*without, 1), std::nullopt) << "0 is no number of a call";
  EXPECT_EQ(call_of(*testing::annotated_host_run(), 0), std::nullopt);
}

TEST(LaunchSlices, OfARowAreItsLaunchesOnATrack) {
  const auto run = testing::timed_run();
  const std::size_t gemm = row_named(*run, "my_gemm");
  const SliceTrack first = slices_of_row(*run, track_of(*run, TrackKind::stream, 0), gemm);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first.start_ns(0), 100'000);
  EXPECT_EQ(first.start_ns(1), 500'000);
  EXPECT_EQ(slices_of_row(*run, track_of(*run, TrackKind::stream, 9), gemm).size(), 1u);
  const auto host = testing::annotated_host_run();
  const std::size_t ranges = track_of(*host, TrackKind::host_ranges, test::kMainThread);
  EXPECT_EQ(slices_of_row(*host, ranges, 0).size(), 2u) << "but not the range without work";
}

TimelineBlock block(std::size_t first, std::size_t count, std::uint16_t of_class) {
  TimelineBlock block;
  block.first = first;
  block.count = count;
  block.of_class = of_class;
  return block;
}

TEST(SliceFilter, PassesByRowClassStreamAndRange) {
  const auto run = testing::timed_run();
  const std::size_t stream = track_of(*run, TrackKind::stream, 0);
  const SliceTrack& slices = run->timeline.tracks[stream].slices;
  // In the order of time: gemm, copy, gemm, norm, fifty elementwise ones.
  const auto passes = [&](const ViewFilter& filter, std::size_t i, std::size_t count = 1) {
    const auto shown = std::make_shared<ShownLaunches>(shown_launches(*run, filter));
    return SliceFilter(*run, filter, shown).passes(stream, block(i, count, slices.class_of(i)));
  };
  EXPECT_TRUE(passes({}, 1));
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  EXPECT_TRUE(passes(filter, 0));
  EXPECT_FALSE(passes(filter, 1)) << "a copy is no gemm";
  EXPECT_FALSE(passes(filter, 3));
  EXPECT_FALSE(passes(filter, 4, 50)) << "nor are fifty of another class";
  filter = {};
  filter.stream = StreamKey{0, 0, 9};
  EXPECT_FALSE(passes(filter, 0));
  filter = {};
  filter.range = QStringLiteral("fprop");
  EXPECT_TRUE(passes(filter, 0)) << "called at 20 us, within it";
  EXPECT_FALSE(passes(filter, 2)) << "called at 410 us, after it";
  filter = {};
  filter.window = TimeSpan{0, 1};
  EXPECT_TRUE(passes(filter, 2)) << "a window fades nothing";
}

}  // namespace
}  // namespace mansard
