// SPDX-License-Identifier: Apache-2.0
// Mapping of launches to slices and back, and filtering of slices. Times are ns.
#include "gui/models/launch_slices.h"

#include <gtest/gtest.h>

#include "gui/models/row_slices.h"
#include "gui/models/slice_filter.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

std::size_t row_named(const OpenRun& run, const std::string& name) {
  for (std::size_t i = 0; i < run.analysis.rows.size(); ++i) {
    if (run.analysis.rows[i].name == name) return i;
  }
  ADD_FAILURE() << name;
  return 0;
}

std::size_t track_of(const OpenRun& run, figure::TrackKind kind, std::int64_t stream_id) {
  for (std::size_t i = 0; i < run.timeline.tracks.size(); ++i) {
    const figure::TimelineTrack& track = run.timeline.tracks[i];
    if (track.kind == kind && track.queue.stream_id == stream_id) return i;
  }
  ADD_FAILURE() << "no track";
  return 0;
}

TEST(LaunchSlices, MapEachLaunchToItsSliceAndBack) {
  for (const auto& run : {testing::timed_run(), testing::annotated_host_run()}) {
    ASSERT_GT(run->launches.size(), 0u);
    for (std::size_t launch = 0; launch < run->launches.size(); ++launch) {
      const auto slice = slice_of(*run, launch);
      ASSERT_TRUE(slice) << launch;
      EXPECT_EQ(launch_of(*run, *slice), launch);
    }
  }
}

TEST(LaunchSlices, DoNotExistForMemcpysRangesAndCalls) {
  const auto run = testing::timed_run();
  std::size_t without = 0;
  for (std::size_t t = 0; t < run->timeline.tracks.size(); ++t) {
    const figure::TimelineTrack& track = run->timeline.tracks[t];
    for (std::size_t i = 0; i < track.slices.size(); ++i) {
      const std::int32_t row = run->timeline.names[track.slices.key(i)].row;
      const bool kernel = row >= 0 && !analysis::is_memory_operation(
                                          run->analysis.rows[static_cast<std::size_t>(row)]);
      EXPECT_EQ(launch_of(*run, {t, i}).has_value(), kernel);
      without += kernel ? 0 : 1;
    }
  }
  EXPECT_GT(without, 50u);
}

TEST(LaunchSlices, FindTheCallOfALaunch) {
  const auto run = testing::timed_run();
  for (std::size_t launch = 0; launch < run->launches.size(); ++launch) {
    const auto call = call_of(*run, launch);
    ASSERT_TRUE(call);
    const figure::TimelineTrack& track = run->timeline.tracks[call->track];
    EXPECT_EQ(track.kind, figure::TrackKind::calls);
    const std::int64_t correlation = run->analysis.profile.kernels[launch].correlation_id;
    const auto& calls = run->analysis.profile.api_calls;
    const auto own = std::ranges::find(calls, correlation, &store::ApiRecord::correlation_id);
    EXPECT_EQ(track.slices.start_ns(call->slice), own->start_ns);
  }
  test::ProfileBuilder builder;
  builder.kernel(0, 10, "never_called");
  builder.kernel(20, 30, "without_id").correlation_id = 0;
  builder.call(1, "cudaLaunchKernel", 77);
  builder.call(2, "cudaGetLastError", 0);
  const auto without = testing::prepared(builder);
  EXPECT_EQ(call_of(*without, 0), std::nullopt);
  EXPECT_EQ(call_of(*without, 1), std::nullopt) << "0 is not a correlation id";
  EXPECT_EQ(call_of(*testing::annotated_host_run(), 0), std::nullopt);
}

TEST(LaunchSlices, ListTheLaunchesOfARowByTrack) {
  const auto run = testing::timed_run();
  const std::size_t gemm = row_named(*run, "my_gemm");
  const std::size_t stream = track_of(*run, figure::TrackKind::stream, 0);
  auto found = launches_by_track(*run, gemm);
  ASSERT_EQ(found[stream].size(), 2u);
  EXPECT_EQ(run->launches.start_ns[found[stream][0]], 100'000);
  EXPECT_EQ(run->launches.start_ns[found[stream][1]], 500'000);
  EXPECT_EQ(found[track_of(*run, figure::TrackKind::stream, 9)].size(), 1u);
  const auto host = testing::annotated_host_run();
  const std::size_t ranges = track_of(*host, figure::TrackKind::host_ranges, test::kMainThread);
  EXPECT_EQ(launches_by_track(*host, 0)[ranges].size(), 2u)
      << "without the range that has no annotation";
}

TEST(LaunchSlices, ListOverlappingLaunchesOnTheirSlicesTracks) {
  test::ProfileBuilder builder;
  builder.kernel(0, 1000, "k");
  builder.kernel(500, 1500, "k");
  builder.kernel(1200, 1300, "k");
  const auto run = testing::prepared(builder);
  std::size_t launches = 0;
  for (const auto& [track, list] : launches_by_track(*run, 0)) {
    for (const std::uint32_t launch : list) {
      EXPECT_EQ(slice_of(*run, launch)->track, track);
      ++launches;
    }
  }
  EXPECT_EQ(launches, 3u);
}

TEST(RowSlices, PlaceMarksAtLaunchesOfAnyWidth) {
  const auto run = testing::timed_run();
  const std::size_t stream = track_of(*run, figure::TrackKind::stream, 0);
  const figure::TimeScale all(run->timeline.span, 0, 1000);
  RowSlices gemms(run, row_named(*run, "my_gemm"));
  const std::vector<RowMark> wide = gemms.marks(stream, all);
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[1].start_ns, 500'000);
  EXPECT_EQ(wide[1].end_ns, 700'000);
  EXPECT_EQ(gemms.marks(stream, all.showing({520'000, 530'000})).size(), 1u) << "it reaches in";
  EXPECT_TRUE(gemms.marks(stream, all.showing({310'000, 320'000})).empty());
  // Fifty launches of 500 ns, one per microsecond: narrower than a pixel, then some pixels wide.
  RowSlices narrow(run, row_named(*run, "vectorized_elementwise_kernel"));
  std::size_t count = 0;
  const std::vector<RowMark> merged = narrow.marks(stream, all);
  for (const RowMark& mark : merged) count += mark.count;
  EXPECT_EQ(count, 50u);
  EXPECT_LT(merged.size(), 25u);
  EXPECT_EQ(merged.front().start_ns, 900'000);
  EXPECT_EQ(merged.back().end_ns, 949'500);
  EXPECT_EQ(narrow.marks(stream, all.showing({900'000, 910'000})).front().count, 1u);
}

figure::TimelineBlock block(std::size_t first, std::size_t count, std::uint16_t of_class) {
  figure::TimelineBlock block;
  block.first = first;
  block.count = count;
  block.of_class = of_class;
  return block;
}

TEST(SliceFilter, FiltersByRowClassStreamAndRange) {
  const auto run = testing::timed_run();
  const std::size_t stream = track_of(*run, figure::TrackKind::stream, 0);
  const figure::SliceTrack& slices = run->timeline.tracks[stream].slices;
  // By time: gemm, memcpy, gemm, norm, fifty elementwise launches.
  const auto passes = [&](const ViewFilter& filter, std::size_t i, std::size_t count = 1) {
    const auto shown = std::make_shared<ShownLaunches>(shown_launches(*run, filter));
    return SliceFilter(*run, filter, shown).passes(stream, block(i, count, slices.class_of(i)));
  };
  EXPECT_TRUE(passes({}, 1));
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  EXPECT_TRUE(passes(filter, 0));
  EXPECT_FALSE(passes(filter, 1)) << "a memcpy is not a gemm";
  EXPECT_FALSE(passes(filter, 3));
  EXPECT_FALSE(passes(filter, 4, 50)) << "nor are fifty of another class";
  filter = {};
  filter.stream = gui::StreamKey{0, 0, 9};
  EXPECT_FALSE(passes(filter, 0));
  filter = {};
  filter.range = QStringLiteral("fprop");
  EXPECT_TRUE(passes(filter, 0)) << "called at 20 µs, within it";
  EXPECT_FALSE(passes(filter, 2)) << "called at 410 µs, after it";
  filter = {};
  filter.window = figure::TimeSpan{0, 1};
  EXPECT_TRUE(passes(filter, 2)) << "a window does not fade slices";
}

}  // namespace
}  // namespace mansard::gui
