// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/chart_drawing.h"

#include "reports/figure/part_fill.h"
#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::measure_text;
using testing::two_columns;

ChartData data_of(analysis::ChartKind kind,
                  const std::vector<std::pair<std::string, analysis::Cell>>& rows) {
  return read_chart(two_columns(rows, {.kind = kind, .label_keys = {}, .value_keys = {}}), 100)
      .value();
}

ChartData bars() {
  return data_of(analysis::ChartKind::bars, {{"a", 1.0}, {"b", 2.0}, {"c", 1e-9}});
}

TEST(ChartDrawing, LinksRowsFromEdgeToEdge) {
  const Drawing drawing = draw_chart(bars(), 640, measure_text);
  EXPECT_EQ(drawing.width(), 640);
  for (std::uint32_t bar = 0; bar < 3; ++bar) {
    const Rect value = area_of(drawing, bar_link(bar)).value();
    const double y = (value.top + value.bottom) / 2;
    EXPECT_EQ(link_at(drawing, {1, y}), bar_link(bar));
    EXPECT_EQ(link_at(drawing, {639, y}), bar_link(bar));
  }
  EXPECT_EQ(*drawing.title(bar_link(1)), "b: 2.00 s");
  EXPECT_FALSE(link_at(drawing, {1, drawing.height() - 1})) << "the axis";
}

TEST(ChartDrawing, DrawsShortBarsVisibly) {
  const ChartData data = bars();
  const Drawing drawing = draw_chart(data, 640, measure_text);
  const Style bar = filled(surface_ink(&Surface::compute));
  std::vector<double> widths;
  for (const Shape& shape : drawing.shapes()) {
    if (shape.kind != ShapeKind::rect || drawing.style_of(shape) != bar) continue;
    const auto n = drawing.numbers_of(shape);
    widths.push_back(n[2] - n[0]);
  }
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[1], 2 * widths[0], 1e-3);
  EXPECT_NEAR(widths[2], 1.5, 1e-3);
}

TEST(ChartDrawing, ColorsAWaterfallByRole) {
  const ChartData data =
      data_of(analysis::ChartKind::waterfall,
              {{"ideal", 0.010}, {"lost", 0.030}, {"won", -0.005}, {"measured", 0.035}});
  const Drawing drawing = draw_chart(data, 640, measure_text);
  std::vector<Ink> inks;
  for (const Shape& shape : drawing.shapes()) {
    const Style& style = drawing.style_of(shape);
    if (shape.kind == ShapeKind::rect && shape.link && style.fill) inks.push_back(*style.fill);
  }
  const std::vector<Ink> expected = {role_ink(WaterfallRole::total), role_ink(WaterfallRole::loss),
                                     role_ink(WaterfallRole::gain), role_ink(WaterfallRole::total)};
  EXPECT_EQ(inks, expected);
}

TEST(ChartDrawing, TintsTheMarkedRowBelowItsBar) {
  const Drawing plain = draw_chart(bars(), 640, measure_text);
  const Drawing marked = draw_chart(bars(), 640, measure_text, 1);
  ASSERT_EQ(marked.shapes().size(), plain.shapes().size() + 1);
  const Shape& tint = marked.shapes().front();
  EXPECT_EQ(marked.style_of(tint).fill, surface_ink(&Surface::accent));
  const auto n = marked.numbers_of(tint);
  const Rect value = area_of(marked, bar_link(1)).value();
  EXPECT_LT(n[1], value.top);
  EXPECT_GT(n[3], value.bottom);
}

}  // namespace
}  // namespace mansard::figure
