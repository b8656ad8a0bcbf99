// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/figure/plane_layout.h"
#include "tests/figure/chart_fixture.h"
#include "tests/figure/run_fixture.h"

namespace mansard::figure {
namespace {

using testing::measure_text;

// Three kernels with a point at each of two tiers.
analysis::RunAnalysis three_kernels() {
  analysis::RunAnalysis run;
  run.machine = testing::slow_machine();
  testing::add_row(run, {"compute", 4e6, 2e4, 4e4, 6e-6});
  testing::add_row(run, {"bandwidth", 4e6, 8e4, 8e4, 10e-6});
  testing::add_row(run, {"tiny", 3e5, 3e3, 6e3, 0.7e-6});
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double flop = run.rows[row].work.total_flop();
    for (const auto& [level, bytes] : run.rows[row].work.bytes) {
      run.points.push_back({row, level, flop / bytes, flop / run.rows[row].time_s});
    }
  }
  return run;
}

class PlaneDrawing : public ::testing::Test {
 protected:
  PlaneDrawing() : run(three_kernels()), figure(layout_roofline(*run.machine, &run)) {}

  PlaneLayout layout(double width_px = 960, bool short_names = false) const {
    return lay_out_plane(figure, width_px, 520, short_names, measure_text);
  }
  Drawing draw(const PlaneLayout& l, const PlaneOverlay& overlay = {}) const {
    Drawing out;
    draw_plane(out, figure, l, measure_text, overlay);
    return out;
  }

  // The shapes with a link to this kind of object.
  static std::vector<Shape> linked(const Drawing& drawing, Link::To to) {
    std::vector<Shape> shapes;
    std::ranges::copy_if(drawing.shapes(), std::back_inserter(shapes),
                         [&](const Shape& s) { return s.link.to == to; });
    return shapes;
  }
  static std::size_t with_style(const Drawing& drawing, const Style& style) {
    return static_cast<std::size_t>(std::ranges::count_if(
        drawing.shapes(), [&](const Shape& s) { return drawing.style_of(s) == style; }));
  }

  analysis::RunAnalysis run;
  PlaneFigure figure;
};

TEST_F(PlaneDrawing, HasAMarkPerPointOfItsTier) {
  const PlaneLayout l = layout();
  const Drawing drawing = draw(l);
  const auto marks = linked(drawing, Link::To::kernel);
  ASSERT_EQ(marks.size(), l.marks.size());
  ASSERT_FALSE(marks.empty());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    EXPECT_EQ(marks[i].kind, ShapeKind::mark);
    EXPECT_EQ(marks[i].link.index, figure.points[l.marks[i].point].row);
    EXPECT_EQ(marks[i].link.part, 0u) << "a roofline has no ideal points";
    const Ink ink = class_ink(figure.points[l.marks[i].point].operation_class);
    EXPECT_EQ(drawing.style_of(marks[i]).fill, ink);
  }
}

TEST_F(PlaneDrawing, FindsAMarkWhereItLies) {
  const PlaneLayout l = layout();
  const Drawing drawing = draw(l);
  const Mark& smallest = l.marks.back();
  EXPECT_EQ(
      link_at(drawing, smallest.center),
      (Link{Link::To::kernel, static_cast<std::uint32_t>(figure.points[smallest.point].row), 0}));
}

TEST_F(PlaneDrawing, DrawsVisibleLinesInsideThePlot) {
  const PlaneLayout l = layout();
  const Drawing drawing = draw(l);
  const auto lines = linked(drawing, Link::To::line);
  EXPECT_GT(lines.size(), 3u);
  for (const Shape& line : lines) {
    const auto n = drawing.numbers_of(line);
    for (std::size_t i = 0; i < n.size(); i += 2) {
      EXPECT_TRUE(
          (Rect{l.plot.left - 1e-3, l.plot.top - 1e-3, l.plot.right + 1e-3, l.plot.bottom + 1e-3})
              .contains({n[i], n[i + 1]}));
    }
    EXPECT_EQ(*drawing.title(line.link), l.lines[line.link.index].label);
  }
}

TEST_F(PlaneDrawing, NamesNoTextTwiceAndNoneOutside) {
  for (const bool narrow : {false, true}) {
    const Drawing drawing = draw(layout(narrow ? 360 : 960, narrow));
    for (const Shape& shape : drawing.shapes()) {
      if (shape.kind != ShapeKind::text) continue;
      const auto n = drawing.numbers_of(shape);
      if (n[3] != 0) continue;
      const double left = n[0] - n[2] * n[4];
      EXPECT_GE(left, -0.01) << drawing.text_of(shape);
      EXPECT_LE(left + n[4], drawing.width() + 0.01) << drawing.text_of(shape);
    }
  }
}

TEST_F(PlaneDrawing, OpenMarksAreTinted) {
  PlaneLayout l = layout();
  l.open_marks = true;
  const Drawing drawing = draw(l);
  for (const Shape& mark : linked(drawing, Link::To::kernel)) {
    EXPECT_LT(drawing.style_of(mark).fill_opacity, 1);
    EXPECT_EQ(drawing.style_of(mark).stroke, drawing.style_of(mark).fill);
  }
}

TEST_F(PlaneDrawing, DrawsTheSelectionAndItsCeilingInTheAccent) {
  PlaneLayout l = layout();
  PlaneSelection selection;
  selection.row = figure.points[l.marks.front().point].row;
  selection.ceiling = l.lines.front().id;
  selection.name = {"a kernel", {{200, 60}, 60, 15, 0}};
  selection.caption = {"50 %", {{200, 80}, 60, 15, 0}};
  l.selection = selection;
  PlaneOverlay overlay;
  overlay.rings = {{l.marks.front().center, 12, true}};
  const Drawing plain = draw(layout());
  const Drawing drawing = draw(l, overlay);
  const Ink accent = surface_ink(&Surface::accent);
  EXPECT_EQ(with_style(plain, stroked(accent, 2.2F)), 0u);
  EXPECT_EQ(with_style(drawing, stroked(accent, 2.2F)), 1u) << "the ceiling that bounds it";
  EXPECT_EQ(with_style(drawing, stroked(accent, 2.5F)), 1u) << "the ring";
  EXPECT_EQ(linked(drawing, Link::To::kernel).size(), linked(plain, Link::To::kernel).size() + 1)
      << "its mark once more, above the others";
}

TEST_F(PlaneDrawing, LinksTheLegend) {
  PlaneLayout l = layout();
  l.legend = {{"gemm", {100, 2, 160, 17}}, {"norm", {180, 2, 240, 17}}};
  const Drawing drawing = draw(l);
  EXPECT_EQ(link_at(drawing, {230, 9}), (Link{Link::To::operation_class, 1}));
  EXPECT_FALSE(link_at(drawing, {170, 9}));
}

TEST(TimePlaneDrawing, LinksIdealPointsApart) {
  const analysis::RunAnalysis run = three_kernels();
  const PlaneFigure figure = layout_time_plane(*run.machine, run);
  const PlaneLayout l = lay_out_plane(figure, 960, 520, false, measure_text);
  Drawing drawing;
  draw_plane(drawing, figure, l, measure_text);
  std::size_t measured = 0;
  std::size_t ideal = 0;
  for (const Shape& shape : drawing.shapes()) {
    if (shape.link.to != Link::To::kernel) continue;
    (shape.link.part == 1 ? ideal : measured) += 1;
  }
  EXPECT_EQ(measured, l.marks.size());
  EXPECT_GT(ideal, 0u);
}

TEST(Density, IsLogarithmic) {
  EXPECT_EQ(density_amount(1, 1000), 0);
  EXPECT_EQ(density_amount(1000, 1000), 1);
  EXPECT_NEAR(density_amount(10, 1000), 1.0 / 3, 1e-12);
  EXPECT_EQ(density_amount(5, 1), 0);
}

}  // namespace
}  // namespace mansard::figure
