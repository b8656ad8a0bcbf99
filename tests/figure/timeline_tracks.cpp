// SPDX-License-Identifier: Apache-2.0
// The tracks of a run, and statistics of a time window. Times are in ns.
#include "reports/figure/timeline_tracks.h"

#include <gtest/gtest.h>

#include "reports/figure/shown_step.h"
#include "reports/figure/slice_lanes.h"
#include "reports/figure/slices_of_steps.h"
#include "reports/figure/timeline_builder.h"
#include "reports/figure/timeline_groups.h"
#include "reports/figure/timeline_summary.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

struct Made {
  analysis::RunAnalysis run;
  std::vector<analysis::DeviceSteps> steps;
  figure::Timeline timeline;
};

Made make(ProfileBuilder& builder) {
  Made made;
  made.run = analysis::analyze_run(builder.build(), {test_machine()});
  made.steps = analysis::step_times(made.run);
  made.timeline = figure::timeline_of(made.run, made.steps);
  return made;
}

std::vector<const figure::TimelineTrack*> tracks_of(const figure::Timeline& timeline,
                                                    figure::TrackKind kind) {
  std::vector<const figure::TimelineTrack*> list;
  for (const figure::TimelineTrack& track : timeline.tracks) {
    if (track.kind == kind) list.push_back(&track);
  }
  return list;
}

std::string text(const figure::Timeline& timeline, const figure::TimelineTrack& track,
                 std::size_t slice) {
  return timeline.names[track.slices.key(slice)].text;
}

analysis::OperationClass class_of(const figure::Timeline& timeline,
                                  const figure::TimelineTrack& track, std::size_t slice) {
  return timeline.classes[track.slices.class_of(slice)];
}

TEST(TimelineTracks, ContainStepsRangesStreamsAndThreads) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(100, 200, "step 1");
  builder.range(10, 60, "gemm | flop=1e6 precision=bf16");
  builder.launch(20, 1000, 1400, "my_gemm");
  builder.launch(110, 1500, 1900, "my_gemm");
  builder.call(120, "cudaStreamSynchronize", 99);
  const Made made = make(builder);
  const figure::Timeline& t = made.timeline;
  std::vector<std::string> labels;
  for (const figure::TimelineTrack& track : t.tracks) {
    labels.push_back(track.label + '/' + std::to_string(track.lane));
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"steps/0", "ranges/0", "stream 0/0", "thread 1/0",
                                              "thread 1/1", "thread 1 calls/0"}))
      << "the ranges of the steps are the steps";
  EXPECT_EQ(t.span.start_ns, 0);
  EXPECT_EQ(t.span.end_ns, 1900);

  const figure::TimelineTrack& stream = *tracks_of(t, figure::TrackKind::stream).front();
  ASSERT_EQ(stream.slices.size(), 2u);
  EXPECT_EQ(text(t, stream, 0), "my_gemm");
  EXPECT_EQ(class_of(t, stream, 0), "gemm");
  for (const std::size_t i : {0u, 1u}) {
    const std::int32_t row = t.names[stream.slices.key(i)].row;
    ASSERT_GE(row, 0);
    const auto& launches = made.run.rows[static_cast<std::size_t>(row)].launch_indices;
    EXPECT_EQ(launches, std::vector<std::uint32_t>{static_cast<std::uint32_t>(i)})
        << "one with known work and one without";
  }
  const figure::TimelineTrack& gemm = *tracks_of(t, figure::TrackKind::device_ranges).front();
  EXPECT_EQ(text(t, gemm, 0), "gemm") << "without the work that it states";
  EXPECT_EQ(gemm.slices.start_ns(0), 1000) << "on the device";
  EXPECT_EQ(tracks_of(t, figure::TrackKind::host_ranges)[1]->slices.start_ns(0), 10)
      << "on the host";
  const figure::TimelineTrack& calls = *tracks_of(t, figure::TrackKind::calls).front();
  ASSERT_EQ(calls.slices.size(), 3u);
  EXPECT_EQ(class_of(t, calls, 0), figure::kLaunchClass);
  EXPECT_EQ(class_of(t, calls, 2), figure::kWaitClass);
}

TEST(TimelineTracks, SeparateStreamsByContextAndDevice) {
  ProfileBuilder builder;
  builder.kernel(0, 10, "short").stream_id = 7;
  builder.kernel(0, 500, "long").stream_id = 9;
  store::KernelRecord& other = builder.kernel(0, 20, "a");
  other.stream_id = 9;
  other.context_id = 2;
  builder.kernel(5, 10, "a").device_id = 1;
  const Made made = make(builder);
  std::vector<std::string> labels;
  for (const figure::TimelineTrack* t : tracks_of(made.timeline, figure::TrackKind::stream)) {
    labels.push_back(t->label);
  }
  EXPECT_EQ(labels,
            (std::vector<std::string>{"GPU 0 stream 9 of context 0", "GPU 0 stream 9 of context 2",
                                      "GPU 0 stream 7", "GPU 1 stream 0"}))
      << "the busiest first";
}

TEST(TimelineTracks, OverlappingKernelsOfAStreamUseSeveralLanes) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "a");
  builder.kernel(50, 150, "b");
  builder.kernel(100, 200, "c");
  const Made made = make(builder);
  const auto lanes = tracks_of(made.timeline, figure::TrackKind::stream);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0]->slices.size(), 2u);
  EXPECT_EQ(lanes[1]->lane, 1u);
}

TEST(TimelineTracks, ContainMemcpysMemsetsAndGraphs) {
  ProfileBuilder builder;
  builder.kernel(0, 10, "a");
  builder.memcpy(10, 20).copy_kind = 1;
  store::MemsetRecord fill;
  fill.start_ns = 20;
  fill.end_ns = 30;
  builder.profile().memsets.push_back(fill);
  store::GraphRecord graph;
  graph.start_ns = 30;
  graph.end_ns = 40;
  graph.device_id = 0;
  graph.context_id = 0;
  builder.profile().graphs.push_back(graph);
  graph.device_id = store::kNoId;
  builder.profile().graphs.push_back(graph);
  const Made made = make(builder);
  const figure::Timeline& t = made.timeline;
  const auto streams = tracks_of(t, figure::TrackKind::stream);
  ASSERT_EQ(streams.size(), 1u) << "a graph that ran on the host is on none";
  ASSERT_EQ(streams[0]->slices.size(), 4u);
  EXPECT_EQ(text(t, *streams[0], 1), "Memcpy HtoD (Pageable -> Pageable)");
  EXPECT_EQ(class_of(t, *streams[0], 1), analysis::kMemcpyClass);
  EXPECT_EQ(class_of(t, *streams[0], 2), analysis::kMemsetClass);
  EXPECT_EQ(class_of(t, *streams[0], 3), figure::kGraphClass);
}

TEST(TimelineTracks, OmitAndCountRecordsWithoutTimes) {
  ProfileBuilder builder;
  builder.kernel(100, 200, "a");
  builder.kernel(300, 250, "a");  // the clock ran backwards
  builder.kernel(0, 0, "a");      // CUPTI lost its times
  builder.range(50, -1, "open");
  const Made made = make(builder);
  ASSERT_EQ(tracks_of(made.timeline, figure::TrackKind::stream).size(), 1u);
  EXPECT_EQ(tracks_of(made.timeline, figure::TrackKind::stream)[0]->slices.size(), 1u);
  EXPECT_TRUE(tracks_of(made.timeline, figure::TrackKind::host_ranges).empty());
  EXPECT_EQ(made.timeline.left_out, 1u);
}

TEST(TimelineTracks, EmptyRun) {
  ProfileBuilder builder;
  const Made made = make(builder);
  EXPECT_TRUE(made.timeline.tracks.empty());
  EXPECT_EQ(figure::shown_step(made.timeline, made.steps).window.end_ns, 0);
}

// Without recorded launches the launching threads are unknown, so all threads are shown.
TEST(TimelineTracks, OnlyLaunchingThreadsIfLaunchesAreKnown) {
  ProfileBuilder builder;
  builder.range(0, 100, "main").range(0, 100, "loader", kOtherThread);
  EXPECT_EQ(tracks_of(make(builder).timeline, figure::TrackKind::host_ranges).size(), 2u);
  builder.launch(10, 20, 30, "a");
  const Made made = make(builder);
  const auto threads = tracks_of(made.timeline, figure::TrackKind::host_ranges);
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(text(made.timeline, *threads[0], 0), "main");
}

TEST(TimelineTracks, ContainSampledValues) {
  ProfileBuilder builder;
  builder.kernel(0, 1000, "a");
  for (int i = 0; i < 3; ++i) {
    store::DeviceStateSample sample;
    sample.timestamp_ns = 100 * i;
    sample.sm_clock_hz = 1e9 + i;
    if (i == 1) sample.power_w = 500;
    builder.profile().device_states.push_back(sample);
  }
  for (int i = 0; i < 4; ++i) {
    builder.profile().gpu_metrics.push_back({100 * i, 0, {{builder.intern("sm__throughput"), i}}});
  }
  const Made made = make(builder);
  ASSERT_EQ(made.timeline.lines.size(), 2u) << "one power sample makes no line";
  EXPECT_EQ(made.timeline.lines[0].label(), "SM clock");
  EXPECT_EQ(made.timeline.lines[0].unit(), "Hz");
  EXPECT_EQ(made.timeline.lines[0].value(2), 1e9 + 2);
  EXPECT_EQ(made.timeline.lines[1].label(), "sm__throughput");
  EXPECT_EQ(made.timeline.lines[1].size(), 4u);
}

// Steps of 100, 120, 102, 101, 104 ns: the second is not typical, 102 is the median of the others.
ProfileBuilder five_steps() {
  ProfileBuilder builder;
  std::int64_t now = 0;
  int number = 0;
  for (const std::int64_t length : {100, 120, 102, 101, 104}) {
    builder.range(now, now + length, "step " + std::to_string(number++));
    builder.launch(now + 1, now + 2, now + 50, "a");
    builder.launch(now + 3, now + 60, now + length, "b");
    now += length;
  }
  return builder;
}

TEST(ShownStep, IsTheMedianTypicalStep) {
  ProfileBuilder builder = five_steps();
  const Made made = make(builder);
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  EXPECT_EQ(shown.name, "step 2");
  EXPECT_EQ(shown.window.start_ns, 220);
  EXPECT_EQ(shown.window.end_ns, 322);
  EXPECT_EQ(shown.typical.size(), 4u);
  ASSERT_EQ(made.steps.size(), 1u);
  EXPECT_EQ(made.steps[0].steps.size(), 5u);
  EXPECT_NE(shown.why.find("4 typical"), std::string::npos) << shown.why;
  EXPECT_NE(shown.why.find("5 in total"), std::string::npos) << shown.why;
  EXPECT_NE(shown.why.find(made.steps[0].how), std::string::npos) << shown.why;
  const auto steps = tracks_of(made.timeline, figure::TrackKind::steps);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(class_of(made.timeline, *steps[0], 0), figure::kStepClass);
  EXPECT_EQ(class_of(made.timeline, *steps[0], 1), figure::kOtherStepClass);
}

TEST(ShownStep, IsTheDeviceActivityWithoutSteps) {
  ProfileBuilder builder;
  builder.range(0, 5000, "setup");
  builder.launch(10, 1000, 1100, "a");
  builder.launch(20, 1200, 1300, "b");
  const Made made = make(builder);
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  EXPECT_EQ(shown.window.start_ns, 1000);
  EXPECT_EQ(shown.window.end_ns, 1300);
  EXPECT_TRUE(shown.typical.empty());
}

figure::SliceChoice kernels() {
  return {
      [](const figure::TimelineTrack& track) { return track.kind == figure::TrackKind::stream; },
      {}};
}

TEST(SlicesOfSteps, AreAllIfTheyFit) {
  ProfileBuilder builder = five_steps();
  const Made made = make(builder);
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  const figure::ChosenSlices all = figure::slices_of_steps(made.timeline, shown, 10, kernels());
  EXPECT_EQ(all.slices.size(), 10u);
  EXPECT_EQ(all.total, 10u);
  EXPECT_EQ(all.steps, 0u);
}

// Steps 2, 3 and 4; the next one, step 0 after wrapping around, would exceed the limit with the
// eighth slice.
TEST(SlicesOfSteps, AreWholeTypicalStepsIfNotAllFit) {
  ProfileBuilder builder = five_steps();
  const Made made = make(builder);
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  const figure::ChosenSlices some = figure::slices_of_steps(made.timeline, shown, 7, kernels());
  EXPECT_EQ(some.total, 10u);
  EXPECT_EQ(some.steps, 3u);
  ASSERT_EQ(some.slices.size(), 6u);
  std::vector<std::int64_t> starts;
  for (const figure::SliceRef& ref : some.slices) {
    starts.push_back(made.timeline.tracks[ref.track].slices.start_ns(ref.slice));
  }
  EXPECT_EQ(starts, (std::vector<std::int64_t>{222, 280, 324, 382, 425, 483}));
}

TEST(SlicesOfSteps, AreTheFirstOfATooLargeStep) {
  ProfileBuilder builder = five_steps();
  const Made made = make(builder);
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  const figure::ChosenSlices one = figure::slices_of_steps(made.timeline, shown, 1, kernels());
  EXPECT_EQ(one.steps, 0u);
  ASSERT_EQ(one.slices.size(), 1u);
  EXPECT_EQ(made.timeline.tracks[one.slices[0].track].slices.start_ns(one.slices[0].slice), 222);
}

TEST(SlicesOfSteps, SelectKeys) {
  ProfileBuilder builder = five_steps();
  const Made made = make(builder);
  figure::SliceChoice choice = kernels();
  for (const figure::SliceName& name : made.timeline.names) choice.keys.push_back(name.text == "b");
  const figure::ShownStep shown = figure::shown_step(made.timeline, made.steps);
  EXPECT_EQ(figure::slices_of_steps(made.timeline, shown, 10, choice).total, 5u);
}

// One stream: 0-100 and 150-250; another: 50-200. The device is busy in all of 20-220.
TEST(Summarize, CountsOverlapsOnceAndClipsToTheWindow) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "my_gemm");
  builder.kernel(150, 250, "my_gemm");
  builder.kernel(50, 120, "other").stream_id = 3;
  const Made made = make(builder);
  const figure::WindowSummary sums = figure::summarize(made.timeline, {20, 220});
  EXPECT_EQ(sums.length_ns, 200);
  EXPECT_EQ(sums.busy_ns, 100 + 70) << "20-120 and 150-220";
  EXPECT_NEAR(sums.busy_share(), 0.85, 1e-12);
  EXPECT_EQ(sums.launches, 2u) << "that begin in it";
  EXPECT_EQ(sums.streams, 2u);
  EXPECT_EQ(figure::summarize(made.timeline, {125, 160}).streams, 1u);
  std::int64_t class_ns = 0;
  for (const std::int64_t ns : sums.class_ns) class_ns += ns;
  EXPECT_EQ(class_ns, 80 + 70 + 70);
  EXPECT_EQ(figure::summarize(made.timeline, {300, 300}).busy_share(), 0);
}

TEST(LongestSlices, AreSortedByLength) {
  ProfileBuilder builder;
  builder.kernel(0, 10, "a");
  builder.kernel(20, 60, "b");
  builder.kernel(70, 80, "c");
  builder.kernel(15, 35, "d").stream_id = 3;
  const Made made = make(builder);
  const auto longest = figure::longest_slices(made.timeline, {5, 100}, 2);
  ASSERT_EQ(longest.size(), 2u);
  const auto name = [&](const figure::SliceRef& ref) {
    return text(made.timeline, made.timeline.tracks[ref.track], ref.slice);
  };
  EXPECT_EQ(name(longest[0]), "b");
  EXPECT_EQ(name(longest[1]), "d");
  EXPECT_EQ(figure::longest_slices(made.timeline, {5, 100}, 20).size(), 3u) << "a began before";
  EXPECT_TRUE(figure::longest_slices(made.timeline, {5, 100}, 0).empty());
}

TEST(ClassTimes, MatchTheSummaryInAnyWindow) {
  ProfileBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    builder.kernel(100 * i, 100 * i + 30 + i % 60, i % 3 == 0 ? "my_gemm" : "rmsnorm_kernel");
    builder.kernel(100 * i + 7, 100 * i + 50, "my_gemm").stream_id = 3;
  }
  const Made made = make(builder);
  for (const figure::TimeSpan& window :
       {figure::TimeSpan{0, 100'000}, figure::TimeSpan{10, 20}, figure::TimeSpan{315, 87'451},
        figure::TimeSpan{95, 99}, figure::TimeSpan{500, 500}, figure::TimeSpan{-50, 1}}) {
    const figure::WindowSummary sums = figure::summarize(made.timeline, window);
    const figure::ClassTimes times = figure::class_times(made.timeline, window);
    EXPECT_EQ(times.class_ns, sums.class_ns) << window.start_ns;
    EXPECT_EQ(times.devices, sums.devices);
  }
}

TEST(TimelineRows, DoNotOverlapAndStayInOrder) {
  ProfileBuilder builder = five_steps();
  builder.kernel(5, 15, "beside").stream_id = 3;
  const Made made = make(builder);
  for (const bool above : {false, true}) {
    const figure::TimelineRows rows = figure::lay_out_rows(made.timeline, 10, 90, 30, above, {});
    ASSERT_EQ(rows.rows.size(), made.timeline.tracks.size());
    double bottom = above ? 30 + figure::kRowLabel_px : 30;
    EXPECT_EQ(rows.rows.front().box.top, bottom);
    for (const figure::TimelineRow& row : rows.rows) {
      EXPECT_GE(row.box.top, bottom);
      EXPECT_GT(row.box.height(), 10);
      EXPECT_EQ(row.box.left, 10);
      bottom = row.box.bottom;
    }
    EXPECT_EQ(rows.bottom, bottom);
  }
  const figure::HiddenRows hidden{{}, std::vector<bool>(made.timeline.tracks.size(), true), {}};
  EXPECT_EQ(figure::lay_out_rows(made.timeline, 0, 100, 30, false, hidden).bottom, 30);
}

TEST(TimelineRows, OnlyTheFirstRowOfALabelShowsIt) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "a");
  builder.kernel(50, 150, "b");
  builder.kernel(0, 10, "c").stream_id = 4;
  const Made made = make(builder);
  const figure::TimelineRows rows = figure::lay_out_rows(made.timeline, 0, 100, 0, false, {});
  ASSERT_EQ(rows.rows.size(), 3u);
  EXPECT_EQ(rows.rows[0].label, "stream 0");
  EXPECT_EQ(rows.rows[1].label, "");
  EXPECT_EQ(rows.rows[2].label, "stream 4");
}

// Below the tracks of their device, above those of threads.
TEST(TimelineRows, SampledValuesFollowTheirDevice) {
  figure::TimelineBuilder builder;
  const std::uint32_t name = builder.add_name("a", "gemm");
  builder.add_track(figure::TrackKind::stream, "GPU 0 stream 7", 0, {{0, 10, name}});
  builder.add_track(figure::TrackKind::stream, "GPU 1 stream 7", 1, {{0, 10, name}});
  builder.add_track(figure::TrackKind::calls, "thread 9 calls", -1, {{0, 10, name}});
  for (const std::int32_t device : {0, 1}) {
    figure::LineTrack line("GPU " + std::to_string(device) + " power", "W", device);
    line.add(0, 100);
    line.add(10, 200);
    builder.add_line(std::move(line));
  }
  std::vector<std::string> labels;
  for (const figure::TimelineRow& row :
       figure::lay_out_rows(builder.take(), 0, 100, 0, true, {{}, {false, true}, {}}).rows) {
    labels.push_back(row.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"GPU 0 stream 7", "GPU 0 power", "GPU 1 power",
                                              "thread 9 calls"}));
}

}  // namespace
}  // namespace mansard::test
