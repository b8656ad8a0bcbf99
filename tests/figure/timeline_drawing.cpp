// SPDX-License-Identifier: Apache-2.0
// The drawing of a timeline. Times are in ns, positions in pixels: one nanosecond is one pixel.
#include "reports/figure/timeline_drawing.h"

#include "reports/figure/slice_style.h"
#include "reports/figure/timeline_builder.h"
#include "reports/figure/timeline_groups.h"
#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::measure_text;

// Tracks 0 to 3, and a line.
Timeline some_of_everything() {
  TimelineBuilder builder;
  const auto name = [&](const char* text, std::string_view of_class) {
    return builder.add_name(text, of_class);
  };
  builder.add_track(
      TrackKind::steps, "GPU 0 steps", 0,
      {{0, 500, name("step 0", kStepClass)}, {500, 900, name("odd", kOtherStepClass)}});
  builder.add_track(TrackKind::stream, "GPU 0 stream 7", 0,
                    {{0, 100, name("a_gemm_with_quite_a_long_name", "gemm")},
                     {200, 300, name("transpose", "transpose")},
                     {600, 601, name("tiny", "gemm")},
                     {602, 603, name("tiny", "gemm")}});
  builder.add_track(TrackKind::host_ranges, "thread 9", -1,
                    {{0, 900, name("forward", kRangeClass)}});
  builder.add_track(
      TrackKind::calls, "thread 9 calls", -1,
      {{0, 10, name("cudaLaunchKernel", kLaunchClass)}, {20, 90, name("sync", kWaitClass)}});
  LineTrack power("GPU 0 power", "W", 0);
  for (const int time : {0, 300, 900}) power.add(time, 100 + time);
  builder.add_line(std::move(power));
  return builder.take();
}

// As in the GUI: with headings and labels at the left.
class Drawn {
 public:
  explicit Drawn(const BlockFilter& passes = {}, const HiddenRows& hidden = {}) {
    TimelineRows rows = lay_out_groups(timeline, groups_of(timeline), hidden);
    for (TimelineRow& row : rows.rows) {
      row.box = {row.kind == RowKind::heading ? 0 : plot.left, row.box.top + plot.top, plot.right,
                 row.box.bottom + plot.top};
      find_visible(row, timeline, scale, plot);
    }
    SliceNames names(timeline, measure_text);
    draw_timeline(out, {timeline, scale, {0, 0, 1020, 500}, plot, rows.rows}, names, passes);
  }

  Rect area(Link link) const {
    for (const Shape& shape : out.shapes()) {
      if (shape.link == link && shape.kind == ShapeKind::rect) return rect_of(shape);
    }
    ADD_FAILURE() << "not drawn";
    return {};
  }
  const Style& style(Link link) const {
    for (const Shape& shape : out.shapes()) {
      if (shape.link == link && shape.kind == ShapeKind::rect) return out.style_of(shape);
    }
    ADD_FAILURE() << "not drawn";
    return out.styles().front();
  }
  std::vector<std::string> texts(Link link) const {
    std::vector<std::string> texts;
    for (const Shape& shape : out.shapes()) {
      if (shape.link == link && shape.kind == ShapeKind::text) texts.push_back(out.text_of(shape));
    }
    return texts;
  }
  Rect rect_of(const Shape& shape) const {
    const auto n = out.numbers_of(shape);
    return {n[0], n[1], n[2], n[3]};
  }

  Timeline timeline = some_of_everything();
  Rect plot{120, 26, 1020, 500};
  TimeScale scale{{0, 900}, 120, 1020};
  Drawing out{1020, 500};
};

TEST(TimelineDrawing, LinksBlocksToTheirFirstSlice) {
  const Drawn drawn;
  const Rect gemm = drawn.area(slice_link(1, 0));
  EXPECT_EQ(gemm.left, 120);
  EXPECT_EQ(gemm.right, 219) << "a pixel before its end";
  EXPECT_EQ(link_at(drawn.out, {150, (gemm.top + gemm.bottom) / 2}), slice_link(1, 0));
  EXPECT_EQ(link_at(drawn.out, {250, gemm.bottom - 1}), (Link{Link::To::track, 1})) << "idle";
  const Rect row = drawn.area({Link::To::track, 1});
  EXPECT_EQ(row.left, 120);
  EXPECT_EQ(row.right, 1020);
  EXPECT_EQ(row.top, gemm.top);
  EXPECT_EQ(row.bottom, gemm.bottom);
}

TEST(TimelineDrawing, HeightOfMergedSlicesIsTheirBusyShare) {
  const Drawn drawn;
  const Rect row = drawn.area({Link::To::track, 1});
  const Rect block = drawn.area(slice_link(1, 2));
  EXPECT_EQ(block.width(), 3);
  EXPECT_NEAR(block.height(), row.height() * 2 / 3, 1) << "2 of 3 ns";
  EXPECT_EQ(block.bottom, row.bottom);
}

TEST(TimelineDrawing, ColorsSlicesByClass) {
  const Drawn drawn;
  EXPECT_EQ(drawn.style(slice_link(1, 0)), filled(class_ink("gemm")));
  EXPECT_EQ(drawn.style(slice_link(1, 1)), filled(class_ink("copy"))) << "transposes move data";
  EXPECT_EQ(drawn.style(slice_link(0, 0)), filled(surface_ink(&Surface::grid)));
  EXPECT_EQ(drawn.style(slice_link(0, 1)), filled(surface_ink(&Surface::roof))) << "not typical";
  EXPECT_NE(drawn.style(slice_link(3, 0)), drawn.style(slice_link(3, 1))) << "one waits";
}

TEST(TimelineDrawing, DistinguishesClassesOfOneColorByLines) {
  const Drawn drawn;
  const Rect box = drawn.area(slice_link(1, 1));
  const auto expected = slice_style("transpose").lines;
  ASSERT_FALSE(expected.empty());
  std::vector<double> middles;
  for (const Shape& shape : drawn.out.shapes()) {
    if (shape.kind != ShapeKind::rect) continue;
    if (drawn.out.style_of(shape) != filled(surface_ink(&Surface::background))) continue;
    const Rect line = drawn.rect_of(shape);
    EXPECT_EQ(line.left, box.left);
    EXPECT_EQ(line.right, box.right);
    EXPECT_EQ(line.height(), kSliceLine_px);
    middles.push_back((line.top + line.bottom) / 2);
  }
  ASSERT_EQ(middles.size(), expected.size());
  for (std::size_t i = 0; i < middles.size(); ++i) {
    EXPECT_NEAR(middles[i], box.top + expected[i] * box.height(), 0.5);
  }
}

TEST(TimelineDrawing, FadesFilteredSlices) {
  const Drawn all;
  const Drawn drawn(
      [](std::size_t track, const TimelineBlock& block) { return track != 1 || block.first == 1; });
  const Ink faded = mixed(surface_ink(&Surface::background), class_ink("gemm"), 0.28);
  EXPECT_EQ(drawn.style(slice_link(1, 0)), filled(faded));
  EXPECT_TRUE(drawn.texts(slice_link(1, 0)).empty());
  EXPECT_EQ(drawn.style(slice_link(1, 1)), all.style(slice_link(1, 1)));
  EXPECT_EQ(drawn.style(slice_link(0, 0)), all.style(slice_link(0, 0)));
}

TEST(TimelineDrawing, ShortensNamesToTheirBoxes) {
  const Drawn drawn;
  EXPECT_EQ(drawn.texts(slice_link(1, 0)), std::vector<std::string>{"a_gemm_wit\u2026"});
  EXPECT_EQ(drawn.texts(slice_link(1, 1)), std::vector<std::string>{"transpose"});
  EXPECT_TRUE(drawn.texts(slice_link(1, 2)).empty()) << "too narrow";
  EXPECT_EQ(drawn.texts(slice_link(2, 0)), std::vector<std::string>{"forward"});
  EXPECT_TRUE(drawn.texts(slice_link(3, 1)).empty()) << "rows of API calls are too low";
}

TEST(TimelineDrawing, LabelsRowsAndHeadings) {
  const Drawn drawn;
  EXPECT_EQ(drawn.texts({Link::To::heading, 0}), std::vector<std::string>{"GPU 0"});
  EXPECT_EQ(drawn.texts({Link::To::track, 1}), std::vector<std::string>{"stream 7"});
  EXPECT_EQ(drawn.texts({Link::To::value_line, 0}),
            (std::vector<std::string>{"power", "100 W to 1.00 kW"}));
  EXPECT_EQ(drawn.area({Link::To::heading, 0}).left, 0) << "labels are below headings";
  const Drawn closed({}, {.closed = {true}, .tracks = {}, .lines = {}});
  EXPECT_TRUE(closed.texts({Link::To::track, 1}).empty());
  const auto arrow = [](const Drawn& of) {
    for (const Shape& shape : of.out.shapes()) {
      if (shape.kind == ShapeKind::polygon) return of.out.numbers_of(shape)[1];
    }
    return 0.F;
  };
  EXPECT_NE(arrow(drawn), arrow(closed));
}

TEST(TimelineDrawing, DrawsValuesFromTheirLowestToTheirHighest) {
  const Drawn drawn;
  const Rect row = drawn.area({Link::To::value_line, 0});
  const auto line = std::ranges::find(drawn.out.shapes(), ShapeKind::polyline, &Shape::kind);
  ASSERT_NE(line, drawn.out.shapes().end());
  const auto n = drawn.out.numbers_of(*line);
  ASSERT_EQ(n.size(), 6u);
  EXPECT_EQ(n[0], 120);
  EXPECT_NEAR(n[1], row.bottom - 1.5, 1e-3);
  EXPECT_EQ(n[2], 420);
  EXPECT_NEAR(n[3], row.bottom - 1.5 - (row.height() - 3) / 3, 1e-3);
  EXPECT_NEAR(n[5], row.top + 1.5, 1e-3);
}

TEST(TimelineDrawing, AlignsBoxesToPixels) {
  const Drawn drawn;
  for (const Shape& shape : drawn.out.shapes()) {
    if (shape.kind != ShapeKind::rect) continue;
    for (const float number : drawn.out.numbers_of(shape)) EXPECT_EQ(number, std::round(number));
    EXPECT_GE(drawn.rect_of(shape).width(), 1);
    EXPECT_GE(drawn.rect_of(shape).height(), 1);
  }
}

// As on the page, at both widths and more, for times with and without a label base.
TEST(TimelineDrawing, TextsDoNotOverlapOrLeaveTheFigure) {
  for (const double width : testing::kWidths_px) {
    for (const bool above : {true, false}) {
      for (const std::int64_t since_zero_ns : {0, 1'234'567'890}) {
        Timeline timeline = some_of_everything();
        timeline.zero_ns = -since_zero_ns;
        Rect plot{above ? 1.0 : 132.0, 26, width - 1, 26};
        const TimeScale scale({0, 900}, plot.left, plot.right);
        TimelineRows rows = lay_out_rows(timeline, plot.left, plot.right, 30, above, {});
        plot.bottom = rows.bottom;
        for (TimelineRow& row : rows.rows) find_visible(row, timeline, scale, plot);
        const Rect area{0, 0, width, rows.bottom + 4};
        Drawing out(area.right, area.bottom);
        SliceNames names(timeline, measure_text);
        draw_timeline(out, {timeline, scale, area, plot, rows.rows, above}, names);
        std::vector<std::pair<std::string, Rect>> texts;
        for (const Shape& shape : out.shapes()) {
          if (shape.kind != ShapeKind::text) continue;
          const auto n = out.numbers_of(shape);
          const double left = n[0] - n[2] * n[4];
          texts.push_back(
              {out.text_of(shape), {left, n[1] - n[5] / 2, left + n[4], n[1] + n[5] / 2}});
          testing::expect_within(texts.back().second, area, texts.back().first);
        }
        EXPECT_GT(texts.size(), above ? 8u : 9u) << "a range beside its row has a line of its own";
        for (std::size_t i = 0; i < texts.size(); ++i) {
          for (std::size_t k = 0; k < i; ++k) {
            EXPECT_FALSE(testing::overlap(texts[i].second, texts[k].second))
                << texts[i].first << " and " << texts[k].first << " at " << width;
          }
        }
      }
    }
  }
}

TEST(TimelineDrawing, ReusesItsMemory) {
  const Drawn fresh;
  Drawn again;
  again.out.clear(1020, 500);
  TimelineRows rows;
  SliceNames names(again.timeline, measure_text);
  draw_timeline(again.out, {again.timeline, again.scale, {0, 0, 1020, 500}, again.plot, rows.rows},
                names);
  EXPECT_LT(again.out.shapes().size(), fresh.out.shapes().size());
  EXPECT_FALSE(area_of(again.out, slice_link(1, 0)));
}

}  // namespace
}  // namespace mansard::figure
