// SPDX-License-Identifier: Apache-2.0
// The timeline of the page without a browser: figures, table and data.
#include "tests/reports/timeline_page.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyzer/steps/step_times.h"
#include "reports/figure/shown_step.h"
#include "reports/figure/slice_style.h"
#include "reports/figure/svg_writer.h"
#include "reports/report.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"
#include "reports/web/timeline_svg.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/reports/fixture.h"
#include "tests/reports/page_data.h"
#include "tests/reports/page_text.h"
#include "tests/reports/timeline_fixture.h"

namespace mansard::reports {
namespace {

using nlohmann::json;

std::string section(const std::string& page) {
  const std::size_t from = page.find("<section id=\"run1-timeline\"");
  if (from == std::string::npos) return {};
  return page.substr(from, page.find("</section>", from) - from);
}

std::string caption(const std::string& page) {
  const std::string timeline = section(page);
  const std::size_t from = timeline.find("<figcaption>");
  if (from == std::string::npos) return {};
  return timeline.substr(from, timeline.find("</figcaption>", from) - from);
}

figure::ShownStep shown_step_of(const analysis::RunAnalysis& run) {
  const std::vector<analysis::DeviceSteps>& steps = analysis::step_times(run);
  return figure::shown_step(figure::timeline_of(run, steps), steps);
}

// The tracks of a kind and label ("": any). The page's script draws all of them.
std::vector<json> tracks(const json& data, const std::string& kind, const std::string& label = "") {
  std::vector<json> found;
  for (const json& track : data["tracks"]) {
    if (track["kind"] == kind && (label.empty() || track["label"] == label)) found.push_back(track);
  }
  return found;
}

std::size_t slices(const json& data, const std::string& kind) {
  std::size_t count = 0;
  for (const json& track : tracks(data, kind)) count += track["gap_ns"].size();
  return count;
}

// The text of a slice, or the row of its kernel.
const json& name(const json& data, const json& track, std::size_t i) {
  return data["names"][track["name"][i].get<std::size_t>()][1];
}

const json& look(const json& data, const json& track, std::size_t i) {
  return data["looks"][data["names"][track["name"][i].get<std::size_t>()][0].get<std::size_t>()];
}

void expect_equal_columns(const json& columns, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    EXPECT_EQ(columns[name].size(), columns["gap_ns"].size()) << name;
  }
}

std::int64_t number_of_slices(const json& data) {
  std::int64_t number = 0;
  for (const json& track : data["tracks"])
    number += static_cast<std::int64_t>(track["name"].size());
  return number;
}

TEST(TimelinePage, DataHoldsEveryLaunch) {
  const analysis::RunAnalysis run = fixture::long_recording(5, 40);
  const json data = test::page_sections(page_of(run))["run1-timeline"];
  EXPECT_EQ(data["schema"], "timeline");
  ASSERT_EQ(tracks(data, "stream").size(), 2u);
  const json launches = tracks(data, "stream", "stream 7").at(0);
  expect_equal_columns(launches, {"duration_ns", "name", "call", "within"});
  const std::vector<std::int64_t> at = test::track_starts_ns(launches);
  const std::int64_t origin = std::stoll(data["origin_ns"].get<std::string>());
  ASSERT_EQ(at.size(), run.profile.kernels.size());
  const std::vector<std::int64_t> latencies_ns = test::launch_latencies_ns(data, launches);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const store::KernelRecord& kernel = run.profile.kernels[i];
    EXPECT_EQ(origin + at[i], kernel.start_ns);
    EXPECT_EQ(launches["duration_ns"][i], kernel.end_ns - kernel.start_ns);
    const analysis::KernelRow& row = run.rows[name(data, launches, i).get<std::size_t>()];
    EXPECT_EQ(row.name, run.profile.string(kernel.demangled_name));
    EXPECT_EQ(look(data, launches, i)["class"], row.operation_class);
    const std::int64_t called_ns = kernel.start_ns - latencies_ns[i];
    const auto call =
        std::ranges::find(run.profile.api_calls, called_ns, &store::ApiRecord::start_ns);
    ASSERT_NE(call, run.profile.api_calls.end());
    EXPECT_EQ(call->correlation_id, kernel.correlation_id);
  }
  const json copies = tracks(data, "stream", "stream 13").at(0);
  expect_equal_columns(copies, {"duration_ns", "name", "bytes"});
  ASSERT_EQ(copies["gap_ns"].size(), 5u);
  EXPECT_EQ(copies["bytes"]["0"], 800'000);
  EXPECT_EQ(name(data, copies, 0), "Memcpy HtoD (Pageable -> Pageable)");
  for (const json& track : data["tracks"]) expect_equal_columns(track, {"duration_ns", "name"});
  EXPECT_EQ(slices(data, "ranges"), 5u * (4 + 5)) << "on the device, and with steps on the host";
  EXPECT_EQ(slices(data, "calls"), 5u * 42);
  const json steps = tracks(data, "steps").at(0);
  ASSERT_EQ(steps["gap_ns"].size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(look(data, steps, i)["class"] == figure::kStepClass, i > 0) << "the first is longer";
  }
  ASSERT_EQ(data["lines"].size(), 2u);
  EXPECT_EQ(data["lines"][0]["time_ns"].size(), 5u);
}

// Blocking calls, atypical steps and kernel classes have the style of slice_look().
TEST(TimelinePage, DataHasTheLooksOfTheWindow) {
  const json data = test::page_sections(page_of(fixture::long_recording(5, 40)))["run1-timeline"];
  const auto style = [&](const json& number) {
    return data["styles"][number.get<std::size_t>()].get<std::string>();
  };
  const auto css = [](const figure::Ink& ink) {
    return figure::css_style(figure::filled(ink), false, true);
  };
  const std::map<std::string, figure::TrackKind> kinds = {
      {"steps", figure::TrackKind::steps},
      {"ranges", figure::TrackKind::host_ranges},
      {"stream", figure::TrackKind::stream},
      {"calls", figure::TrackKind::calls}};
  std::set<std::string> classes;
  for (const json& track : data["tracks"]) {
    for (std::size_t i = 0; i < track["name"].size(); ++i) {
      const json& drawn = look(data, track, i);
      const std::string slice_class = drawn["class"];
      classes.insert(slice_class);
      const figure::SliceLook expected =
          figure::slice_look(kinds.at(track["kind"].get<std::string>()), slice_class);
      EXPECT_EQ(style(drawn["fill"]), css(expected.fill)) << slice_class;
      EXPECT_EQ(style(drawn["faded"]), css(expected.faded)) << slice_class;
      EXPECT_EQ(drawn["lines"].size(), expected.lines.size()) << slice_class;
      EXPECT_EQ(drawn.contains("name"), expected.name.has_value()) << slice_class;
    }
  }
  for (const analysis::OperationClass c :
       {figure::kWaitClass, figure::kOtherStepClass, figure::kStepClass, analysis::kMemcpyClass}) {
    EXPECT_TRUE(classes.contains(c.name())) << c.name();
  }
}

// Lanes, order, heights and labels match the frame in both layouts.
TEST(TimelinePage, DataHasTheRowsOfTheFrame) {
  const analysis::RunAnalysis run = fixture::long_recording(5, 40);
  const json data = test::page_sections(page_of(run))["run1-timeline"];
  const figure::Timeline timeline = figure::timeline_of(run, analysis::step_times(run));
  const std::size_t count = timeline.tracks.size();
  const figure::HiddenRows hidden = hidden_in_interactive(timeline, std::vector<bool>(count, true));
  for (const json& layout : data["layouts"]) {
    const double width = layout["from"] == 0 ? kNarrowFigure_px : kWideFigure_px;
    const TimelineFrame frame = timeline_frame(timeline, hidden, width);
    EXPECT_EQ(layout["height"], frame.area.bottom);
    ASSERT_EQ(layout["rows"].size(), frame.rows.size());
    for (std::size_t i = 0; i < frame.rows.size(); ++i) {
      const figure::TimelineRow& row = frame.rows[i];
      const json& drawn = layout["rows"][i];
      const auto number = drawn[0].get<std::size_t>();
      const json& shown = number < count ? data["tracks"][number] : data["lines"][number - count];
      EXPECT_EQ(number >= count, row.kind == figure::RowKind::line);
      EXPECT_EQ(shown["label"], row.kind == figure::RowKind::line
                                    ? timeline.lines[row.index].label()
                                    : timeline.tracks[row.index].label);
      EXPECT_EQ(drawn[1], row.box.top);
      EXPECT_EQ(drawn[2], row.box.height());
      EXPECT_EQ(drawn.size() > 3, !row.label.empty());
    }
  }
}

// Two devices share 24 stream rows; a label has at most three rows of API calls.
TEST(TimelinePage, OmitsRowsBeyondTheLimit) {
  analysis::RunAnalysis run;
  for (int i = 0; i < 40; ++i) {
    store::KernelRecord& kernel = run.profile.kernels.emplace_back();
    kernel.start_ns = 10'000 * i;
    kernel.end_ns = kernel.start_ns + 1000 + i;
    kernel.demangled_name = i + 1;
    kernel.stream_id = i;
    kernel.device_id = i < 30 ? 0 : 1;
  }
  const std::string page = page_of(run);
  const json data = test::page_sections(page)["run1-timeline"];
  EXPECT_EQ(data["tracks"].size(), 40u);
  EXPECT_EQ(data["layouts"][0]["rows"].size(), 12u + 10);
  EXPECT_NE(caption(page).find("18 more rows"), std::string::npos) << caption(page);
}

// The first event at 500 ns is on a thread without launches and has no row. The drawn content is
// the step, which starts at 1000 ns, 500 ns after time zero.
TEST(TimelinePage, TimesAreRelativeToTheFirstEventOfTheProfile) {
  test::ProfileBuilder b;
  b.range(500, 600, "elsewhere", test::kOtherThread);
  b.range(1'000, 50'000, "step 0").range(1'500, 20'000, "layer | flop=1e6 precision=bf16");
  b.launch(2'000, 5'000, 8'000, "in the layer");
  b.launch(30'000, 31'000, 32'000, "in the step");
  b.launch(60'000, 59'999, 61'000, "starts before its call, by the clocks");
  b.kernel(70'000, 71'000, "of no call");
  const json data =
      test::page_sections(page_of(analysis::analyze_run(b.build(), {})))["run1-timeline"];
  EXPECT_EQ(data["origin_ns"], "500");
  EXPECT_EQ(data["span_ns"], json({500, 70'500}));
  const json launches = tracks(data, "stream").at(0);
  EXPECT_EQ(test::track_starts_ns(launches),
            (std::vector<std::int64_t>{4'500, 30'500, 59'499, 69'500}));
  EXPECT_EQ(test::launch_latencies_ns(data, launches),
            (std::vector<std::int64_t>{3'000, 1'000, 0, -1}));
  // API calls are the last track: three launches have one of its slices each, the fourth has none.
  const std::int64_t first = number_of_slices(data) - 3;
  EXPECT_EQ(launches["call"], json({first, 1, 1, -first - 3})) << "as differences";
  EXPECT_EQ(data["stacks"], json({json({0, "step 0 \u203a layer"}), json({6, ""})}));
  EXPECT_EQ(launches["within"], json({0, 1, -2, 0})) << "numbers 0, 1, -1 and -1 as differences";
}

// Two kernels of a GPU with equal times: each has the latency of its own call.
TEST(TimelinePage, LatencyBelongsToTheLaunch) {
  test::ProfileBuilder b;
  b.launch(1'000, 5'000, 8'000, "k").stream_id = 7;
  b.launch(4'000, 5'000, 8'000, "k").stream_id = 8;
  const json data =
      test::page_sections(page_of(analysis::analyze_run(b.build(), {})))["run1-timeline"];
  const auto latencies_ns = [&](const char* stream) {
    return test::launch_latencies_ns(data, tracks(data, "stream", stream).at(0));
  };
  EXPECT_EQ(latencies_ns("stream 7"), std::vector<std::int64_t>{4'000});
  EXPECT_EQ(latencies_ns("stream 8"), std::vector<std::int64_t>{1'000});
}

TEST(TimelinePage, ShowsATypicalStepAndNamesIt) {
  const analysis::RunAnalysis run = fixture::long_recording(6, 40);
  const std::string page = page_of(run);
  const std::string timeline = section(page);
  const figure::ShownStep shown = shown_step_of(run);
  EXPECT_TRUE(std::regex_match(shown.name, std::regex("step [1-5]"))) << "the first is longer";
  EXPECT_EQ(analysis::step_times(run).front().steps.size(), 6u);
  EXPECT_GE(shown.typical.size(), 2u);
  EXPECT_LE(shown.typical.size(), 5u);
  EXPECT_NE(caption(page).find(shown.name + ", "), std::string::npos) << caption(page);
  EXPECT_NE(caption(page).find(escape_html(shown.why)), std::string::npos) << caption(page);
  EXPECT_EQ(test::page_sections(page)["run1-timeline"]["shown"], shown.name);
  EXPECT_TRUE(std::regex_search(
      timeline, std::regex("role=\"img\" aria-label=\"[^\"]*" + shown.name + ", ")));
  EXPECT_EQ(occurrences(timeline, "<svg class=\"timeline wide\""), 1u);
  EXPECT_EQ(occurrences(timeline, "<svg class=\"timeline narrow\""), 1u);
  EXPECT_EQ(occurrences(timeline, "<tr data-row="), 20u) << "the longest";
  EXPECT_NE(timeline.find('>' + shown.name + "</text>"), std::string::npos);
  EXPECT_NE(timeline.find(">layers.1</text>"), std::string::npos);
  EXPECT_EQ(timeline.find(">NaN"), std::string::npos);
}

PageFigure figure_of(const analysis::RunAnalysis& run) {
  const std::vector<analysis::DeviceSteps>& steps = analysis::step_times(run);
  const figure::Timeline timeline = figure::timeline_of(run, steps);
  return timeline_figure(timeline, figure::shown_step(timeline, steps).window, "");
}

// Stream rows: rectangles with the background color of rows, linked to tracks.
std::size_t stream_rows(const figure::Drawing& drawing) {
  const figure::Ink ground = figure::surface_ink(&figure::Surface::roof);
  return static_cast<std::size_t>(
      std::ranges::count_if(drawing.shapes(), [&](const figure::Shape& shape) {
        return shape.kind == figure::ShapeKind::rect && shape.link.to == figure::Link::To::track &&
               drawing.style_of(shape).fill == ground;
      }));
}

TEST(TimelinePage, FigureHasTheColorOfEachClass) {
  const analysis::RunAnalysis run = fixture::long_recording(4, 40);
  const PageFigure figure = figure_of(run);
  for (const figure::Drawing* drawing : {&figure.wide, &figure.narrow}) {
    std::set<std::string> expected;
    for (const analysis::KernelRow& row : run.rows) {
      // Memcpy rows have the color of copies.
      if (figure::class_ink(row.operation_class) == figure::class_ink("")) continue;
      expected.insert(to_hex(figure::class_ink(row.operation_class).light));
    }
    std::set<std::string> drawn;
    for (const figure::Shape& shape : drawing->shapes()) {
      if (shape.kind == figure::ShapeKind::rect && shape.link.to == figure::Link::To::slice) {
        drawn.insert(to_hex(drawing->style_of(shape).fill->light));
      }
    }
    for (const std::string& color : expected) EXPECT_TRUE(drawn.contains(color)) << color;
    EXPECT_EQ(stream_rows(*drawing), 2u);
  }
  EXPECT_EQ(figure.wide.width(), kWideFigure_px);
  EXPECT_EQ(figure.narrow.width(), kNarrowFigure_px);
  EXPECT_GT(figure.narrow.height(), figure.wide.height()) << "labels are above their rows";
}

// Twelve rows for two devices: six of the first, and the only one of the second.
TEST(TimelinePage, FigureHasTheBusiestStreamsOfEachDevice) {
  analysis::RunAnalysis run;
  for (int i = 0; i < 21; ++i) {
    store::KernelRecord& kernel = run.profile.kernels.emplace_back();
    kernel.start_ns = 10'000 * i;
    kernel.end_ns = kernel.start_ns + 1000 + i;
    kernel.demangled_name = i + 1;  // no repeating pattern
    kernel.stream_id = i;
    kernel.device_id = i < 20 ? 0 : 1;
  }
  EXPECT_EQ(stream_rows(figure_of(run).wide), 7u);
  const std::string timeline = section(page_of(run));
  const std::string wide = timeline.substr(0, timeline.find("class=\"timeline narrow"));
  for (const char* label : {">GPU 0 stream 19<", ">GPU 0 stream 14<", ">GPU 1 stream 20<"}) {
    EXPECT_NE(wide.find(label), std::string::npos) << label;
  }
  EXPECT_NE(timeline.find("14 stream rows"), std::string::npos);
}

TEST(TimelinePage, HoldsWholeTypicalStepsOfALongRecording) {
  const analysis::RunAnalysis run = fixture::long_recording(110, 1000);
  const std::string page = page_of(run);
  EXPECT_LT(page.size(), 5'000'000u);
  const json data = test::page_sections(page)["run1-timeline"];
  EXPECT_EQ(tracks(data, "stream", "stream 7").at(0)["gap_ns"].size(), kMaxPageLaunches)
      << "a hundred steps of a thousand";
  EXPECT_NE(caption(page).find("100,000 of 110,000"), std::string::npos) << caption(page);
  EXPECT_NE(caption(page).find("100 typical steps"), std::string::npos) << caption(page);
  EXPECT_LE(slices(data, "ranges"), kMaxPageRanges);
  EXPECT_LE(slices(data, "calls"), kMaxPageCalls);
  EXPECT_GT(slices(data, "calls"), kMaxPageCalls - 1002);
}

TEST(TimelinePage, KernelsBeyondTheRowsAreStillDrawn) {
  analysis::RunAnalysis run = fixture::long_recording(3, 40);
  std::size_t at = run.rows.size() - 1;
  while (run.rows[at].kind != analysis::RowKind::kernel) --at;
  const analysis::KernelRow last = run.rows[at];
  analysis::KernelRow none = last;
  none.launch_indices.clear();
  run.rows[at] = none;
  while (run.rows.size() < kMaxPageRows) run.rows.push_back(none);
  run.rows.push_back(last);
  run.launch_memo = analysis::make_launch_memo();  // the rows have changed
  const json data = test::page_sections(page_of(run))["run1-timeline"];
  const json launches = tracks(data, "stream", "stream 7").at(0);
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < launches["name"].size(); ++i) {
    const auto number = launches["name"][i].get<std::size_t>();
    if (data["names"][number].size() > 1) continue;
    ++beyond;
    EXPECT_EQ(look(data, launches, i)["class"], last.operation_class);
  }
  EXPECT_EQ(beyond, last.launch_indices.size());
}

TEST(TimelinePage, ShowsTheWholeProfileWithoutSteps) {
  analysis::RunAnalysis run = fixture::training_step();
  run.profile.kernels.resize(2);
  for (analysis::KernelRow& row : run.rows)
    std::erase_if(row.launch_indices, [](std::size_t i) { return i > 1; });
  EXPECT_TRUE(shown_step_of(run).typical.empty());
  const std::string text = caption(page_of(run));
  EXPECT_NE(text.find("59.9 ms"), std::string::npos) << text;
}

TEST(TimelinePage, ShowsThreadRangesOfAHostRun) {
  analysis::RunAnalysis run;
  run.title = "host";
  for (int i = 0; i < 3; ++i) {
    store::NvtxRecord& range = run.profile.nvtx.emplace_back();
    range.start_ns = 100'000 * i;
    range.end_ns = range.start_ns + 80'000;
    range.text = "triad";
  }
  const std::string timeline = section(page_of(run));
  EXPECT_NE(timeline.find(">triad</text>"), std::string::npos);
  EXPECT_EQ(occurrences(timeline, "class=\"legend\""), 0u);
  EXPECT_TRUE(section(page_of(analysis::RunAnalysis())).empty()) << "of nothing is none";
}

TEST(TimelinePage, EscapesNames) {
  analysis::RunAnalysis run = fixture::long_recording(3, 20);
  for (store::NvtxRecord& range : run.profile.nvtx) {
    if (range.text.starts_with("layers")) range.text = fixture::hostile_name();
  }
  for (analysis::KernelRow& row : run.rows) {
    row.short_name = fixture::hostile_name();
    row.operation_class = fixture::hostile_name();
  }
  const std::string page = page_of(run);
  EXPECT_EQ(occurrences(page.substr(0, page.rfind("<script>")), "<script>alert"), 0u);
  const json data = test::page_sections(page)["run1-timeline"];
  std::set<std::string> names;
  for (const json& track : tracks(data, "ranges")) {
    for (std::size_t i = 0; i < track["name"].size(); ++i) names.insert(name(data, track, i));
  }
  EXPECT_EQ(names.size(), 4u) << "three steps, and all layers by one name";
}

}  // namespace
}  // namespace mansard::reports
