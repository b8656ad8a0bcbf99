// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/waterfall.h"

#include <limits>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::expect_legible;
using testing::kWidths_px;
using testing::measure_text;

using Rows = std::vector<std::pair<std::string, analysis::Cell>>;

ChartData chart_of(const Rows& rows, bool more_is_better = false) {
  const analysis::Table table = testing::two_columns(rows, {.kind = analysis::ChartKind::waterfall,
                                                            .label_keys = {},
                                                            .value_keys = {},
                                                            .more_is_better = more_is_better});
  return read_chart(table, 1000).value();
}

// The connector that starts at bar `i`, if any.
const Segment* below(const Waterfall& figure, std::size_t i) {
  for (const Segment& s : figure.connectors) {
    if (s.a.y == figure.bars[i].rect.bottom) return &s;
  }
  return nullptr;
}

// Invariants of all waterfalls.
void expect_sound_waterfall(const ChartData& data) {
  for (const double width : kWidths_px) {
    const Waterfall figure = layout_waterfall(data, width, measure_text);
    ASSERT_EQ(figure.bars.size(), data.bars.size());
    std::vector<PlacedText> values;
    std::vector<Rect> areas;
    for (const WaterfallBar& bar : figure.bars) {
      values.push_back(bar.value);
      if (bar.drawn) areas.push_back(bar.rect);
    }
    expect_legible(figure.frame, values, areas);
    for (std::size_t i = 0; i + 1 < figure.bars.size(); ++i) {
      const Segment* connector = below(figure, i);
      ASSERT_NE(connector, nullptr) << "under bar " << i;
      const Rect& from = figure.bars[i].rect;
      EXPECT_TRUE(connector->a.x == from.left || connector->a.x == from.right);
      if (i + 2 == figure.bars.size()) continue;  // the measured total may differ from the sum
      const Rect& to = figure.bars[i + 1].rect;
      EXPECT_TRUE(connector->a.x == to.left || connector->a.x == to.right)
          << "bar " << i + 1 << " does not begin where bar " << i << " ends";
    }
    for (const Segment& s : figure.connectors) {
      EXPECT_EQ(s.a.x, s.b.x);
      EXPECT_LT(s.a.y, s.b.y);
      for (const FrameRow& row : figure.frame.rows) {
        const Rect line{s.a.x, s.a.y, s.b.x, s.b.y};
        EXPECT_FALSE(
            testing::overlap({line.left - 1, line.top, line.right + 1, line.bottom}, row.name.box))
            << "a connector crosses '" << row.name.text << '\'';
      }
    }
  }
}

TEST(Waterfall, BarsAreAdjacentUpToTheMeasuredEnd) {
  const ChartData data = chart_of({{"ideal", 0.010},
                                   {"GEMM efficiency", 0.004},
                                   {"fusions", -0.002},
                                   {"idle", 0.008},
                                   {"measured", 0.020}});
  expect_sound_waterfall(data);
  const Waterfall figure = layout_waterfall(data, 960, measure_text);
  const LinearScale& x = figure.frame.scale;
  const auto ends = [&](std::size_t i) {
    return std::pair(x.invert(figure.bars[i].rect.left), x.invert(figure.bars[i].rect.right));
  };
  EXPECT_NEAR(ends(0).first, 0, 1e-12);
  EXPECT_NEAR(ends(0).second, 0.010, 1e-12);
  EXPECT_NEAR(ends(1).first, 0.010, 1e-12);
  EXPECT_NEAR(ends(1).second, 0.014, 1e-12);
  EXPECT_NEAR(ends(2).first, 0.012, 1e-12) << "what is gained goes back";
  EXPECT_NEAR(ends(2).second, 0.014, 1e-12);
  EXPECT_NEAR(ends(4).first, 0, 1e-12);
  EXPECT_NEAR(ends(4).second, 0.020, 1e-12);
  EXPECT_NEAR(figure.connectors.back().b.x, figure.bars[4].rect.right, 1e-9);
  const std::vector<WaterfallRole> roles = {WaterfallRole::total, WaterfallRole::loss,
                                            WaterfallRole::gain, WaterfallRole::loss,
                                            WaterfallRole::total};
  const std::vector<std::string> texts = {"10.0 ms", "+4.00 ms", "-2.00 ms", "+8.00 ms", "20.0 ms"};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    EXPECT_EQ(figure.bars[i].role, roles[i]) << i;
    EXPECT_EQ(figure.bars[i].value.text, texts[i]);
  }
  EXPECT_EQ(figure.frame.axis_name.text, "adds (ms)");
  EXPECT_EQ(figure.legend, (std::vector{WaterfallRole::loss, WaterfallRole::gain}));
}

TEST(Waterfall, ReadsItsEndsFromTheirColumn) {
  analysis::Table table = testing::two_columns({}, {.kind = analysis::ChartKind::waterfall,
                                                    .label_keys = {},
                                                    .value_keys = {},
                                                    .total_key = "after_s"});
  table.columns.push_back({"after_s", "step so far", analysis::CellFormat::quantity, "s", ""});
  table.rows = {{std::string("ideal"), analysis::Cell(), 2.0},
                {std::string("lost"), 1.0, 3.0},
                {std::string("measured"), analysis::Cell(), 3.0}};
  const ChartData data = read_chart(table, 10).value();
  expect_sound_waterfall(data);
  EXPECT_EQ(data.bars[0].values[0].value, 2);
  EXPECT_EQ(data.bars[1].values[0].value, 1);
  EXPECT_EQ(data.bars[2].values[0].value, 3);
  EXPECT_EQ(data.column.label, "step so far");
}

TEST(Waterfall, DecreasesAreLossesIfHigherIsBetter) {
  const ChartData data =
      chart_of({{"ideal", 3.0}, {"kept", -1.0}, {"more", 0.5}, {"together", 2.5}}, true);
  const Waterfall figure = layout_waterfall(data, 960, measure_text);
  EXPECT_EQ(figure.bars[1].role, WaterfallRole::loss);
  EXPECT_EQ(figure.bars[2].role, WaterfallRole::gain);
}

TEST(Waterfall, GoesBelowZero) {
  const ChartData data = chart_of({{"a", 1.0}, {"b", -3.0}, {"c", 0.5}, {"d", -1.5}});
  expect_sound_waterfall(data);
  const Waterfall figure = layout_waterfall(data, 960, measure_text);
  EXPECT_DOUBLE_EQ(figure.frame.scale.min(), -2);
  EXPECT_NEAR(figure.bars[3].rect.right, figure.frame.scale.map(0), 1e-9);
}

TEST(Waterfall, NanIsShownAsTextAndKeepsTheConnector) {
  const ChartData data = chart_of({{"start", 2.0},
                                   {"not known", analysis::Cell()},
                                   {"zero", 0.0},
                                   {"not a number", NAN},
                                   {"endless", -INFINITY},
                                   {"too large", 1e305},
                                   {"adds", 1.0},
                                   {"end", 3.0}});
  expect_sound_waterfall(data);
  const Waterfall figure = layout_waterfall(data, 960, measure_text);
  const std::vector<std::string> texts = {"-", "0 s", "n/a", "n/a"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(figure.bars[i + 1].value.text, texts[i]);
  }
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_FALSE(figure.bars[i].drawn);
    EXPECT_EQ(figure.bars[i].rect.width(), 0);
    EXPECT_GT(figure.bars[i].value.box.left, figure.bars[i].rect.right);
  }
  EXPECT_EQ(figure.bars[6].rect.left, figure.bars[0].rect.right) << "through all of them";
  // Connectors without gaps: 7 between rows and 5 across rows without bars.
  EXPECT_EQ(figure.connectors.size(), 12u);
}

TEST(Waterfall, ZeroesHaveAnAxis) {
  const ChartData data = chart_of({{"a", 0.0}, {"b", 0.0}, {"c", 0.0}});
  expect_sound_waterfall(data);
  const Waterfall figure = layout_waterfall(data, 960, measure_text);
  ASSERT_EQ(figure.frame.ticks.size(), 1u);
  EXPECT_EQ(figure.frame.ticks[0].label, "0");
  EXPECT_EQ(figure.frame.axis_name.text, "adds (s)");
}

TEST(Waterfall, OneRowIsABar) {
  const ChartData data = chart_of({{"only", 0.25}});
  expect_sound_waterfall(data);
  const Waterfall figure = layout_waterfall(data, 360, measure_text);
  EXPECT_TRUE(figure.connectors.empty());
  EXPECT_GT(figure.bars[0].rect.width(), 100);
}

TEST(Waterfall, HandlesManyRowsOfAllMagnitudes) {
  Rows rows = {{"start", 1e-9}};
  double sum = 1e-9;
  for (int i = 0; i < 58; ++i) {
    const double value = (i % 3 == 0 ? -1 : 1) * std::pow(10.0, -9 + 12.0 * i / 57);
    rows.emplace_back("cause " + std::to_string(i), value);
    sum += value;
  }
  rows.emplace_back("measured", sum);
  expect_sound_waterfall(chart_of(rows));
}

TEST(Waterfall, TruncatesLongNamesInTheMiddle) {
  const std::string longest = "begin" + std::string(3990, 'x') + "end";
  const ChartData data =
      chart_of({{"ideal", 1.0}, {longest, 0.5}, {longest, 0.25}, {"measured", 1.75}});
  expect_sound_waterfall(data);
  for (const double width : kWidths_px) {
    const Waterfall figure = layout_waterfall(data, width, measure_text);
    const std::string& name = figure.frame.rows[1].name.text;
    EXPECT_TRUE(name.starts_with("begin")) << name;
    EXPECT_TRUE(name.ends_with("end")) << name;
    EXPECT_LT(name.size(), 120u);
    EXPECT_GT(figure.frame.plot.width(), 0.3 * width) << "names leave room for bars";
  }
}

TEST(Waterfall, ANarrowFigurePutsLongNamesAboveTheBars) {
  const ChartData data =
      chart_of({{"speed of light", 1.0}, {"kernels whose work is not known", 2.0}, {"end", 3.0}});
  const Waterfall narrow = layout_waterfall(data, 360, measure_text);
  EXPECT_LE(narrow.frame.rows[1].name.box.bottom, narrow.bars[1].rect.top);
  EXPECT_GT(narrow.frame.plot.width(), 250);
  const Waterfall wide = layout_waterfall(data, 960, measure_text);
  EXPECT_LE(wide.frame.rows[1].name.box.right, wide.frame.plot.left);
}

}  // namespace
}  // namespace mansard::figure
