// SPDX-License-Identifier: Apache-2.0
// Lines of a table: reading them, their layout in all widths, and their links.
#include "reports/figure/line_chart.h"

#include "reports/figure/chart_drawing.h"
#include "reports/figure/chart_text.h"
#include "reports/figure/shown_chart.h"
#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using analysis::Cell;
using analysis::CellFormat;
using testing::kWidths_px;
using testing::measure_text;

// Loss 4, 3, 2 ... of `steps` steps, and a validation loss in every fifth.
analysis::Table losses(std::int64_t steps) {
  analysis::Table table;
  table.id = "losses";
  table.title = "Loss";
  table.columns = {{"step", "step", CellFormat::count, "", ""},
                   {"loss_nats", "loss", CellFormat::number, "nat", ""},
                   {"validation_loss_nats", "validation loss", CellFormat::number, "nat", ""},
                   {"other_nats", "other", CellFormat::number, "nat", ""}};
  for (std::int64_t step = 0; step < steps; ++step) {
    const double loss = 4 - 2 * static_cast<double>(step) / static_cast<double>(steps);
    table.rows.push_back({step, loss, step % 5 == 0 ? Cell(loss + 0.5) : Cell(), Cell()});
  }
  table.chart = analysis::Chart{.kind = analysis::ChartKind::lines,
                                .label_keys = {"step"},
                                .value_keys = {"loss_nats", "validation_loss_nats", "other_nats"}};
  return table;
}

// Two operands at steps 0 and 10, with ranges.
analysis::Table snr() {
  analysis::Table table;
  table.title = "SNR";
  table.columns = {{"step", "step", CellFormat::count, "", ""},
                   {"operand", "operand", CellFormat::text, "", ""},
                   {"snr_db", "SNR", CellFormat::number, "dB", ""},
                   {"low_db", "low", CellFormat::number, "dB", ""},
                   {"high_db", "high", CellFormat::number, "dB", ""}};
  table.rows = {{std::int64_t{0}, "x", 20.0, 15.0, 25.0},
                {std::int64_t{10}, "x", 21.0, 16.0, 26.0},
                {std::int64_t{10}, "dy", 12.0, 8.0, 14.0}};
  table.chart = analysis::Chart{.kind = analysis::ChartKind::lines,
                                .label_keys = {"step"},
                                .value_keys = {"snr_db"},
                                .part_key = "operand",
                                .low_key = "low_db",
                                .high_key = "high_db"};
  return table;
}

TEST(LineChart, ReadsALinePerColumnAndLeavesOutEmptyOnes) {
  const auto data = chart_to_show(losses(11));
  ASSERT_TRUE(data);
  ASSERT_EQ(data->series.size(), 2u);
  EXPECT_EQ(data->series[1].label, "validation loss");
  ASSERT_EQ(data->bars.size(), 11u);
  EXPECT_EQ(data->bars[10].x, 10);
  EXPECT_EQ(data->bars[10].row, 10u);
  EXPECT_FALSE(data->bars[1].values[1].drawable());
  EXPECT_EQ(data->bars[5].values[1].text, "3.59 nat");
}

TEST(LineChart, ReadsALinePerPartWithItsRange) {
  const auto data = chart_to_show(snr());
  ASSERT_TRUE(data);
  ASSERT_EQ(data->series.size(), 2u);
  ASSERT_EQ(data->bars.size(), 2u);
  EXPECT_FALSE(data->bars[0].values[1].drawable()) << "dy has no value at step 0";
  EXPECT_EQ(data->bars[1].values[1].low, 8);
  EXPECT_EQ(data->bars[1].values[1].high, 14);
  EXPECT_EQ(bar_tooltip(*data, data->bars[1]),
            "step 10\nx: 21.0 dB (16.0 dB to 26.0 dB)\ndy: 12.0 dB (8.00 dB to 14.0 dB)");
}

TEST(LineChart, StepsAreInOrderWhateverTheTable) {
  analysis::Table table = losses(11);
  std::ranges::reverse(table.rows);
  const auto data = chart_to_show(table);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bars[0].x, 0);
  EXPECT_EQ(data->bars[0].row, 10u);
}

TEST(LineChart, ASinglePositionIsNoChart) { EXPECT_FALSE(chart_to_show(losses(1))); }

TEST(LineChart, TextsNeitherOverlapNorLeaveTheFigure) {
  for (const analysis::Table& table : {losses(40), losses(5'000), snr()}) {
    const auto data = chart_to_show(table);
    ASSERT_TRUE(data);
    for (const double width : kWidths_px) {
      const LineChart chart = layout_line_chart(*data, width, measure_text);
      std::vector<PlacedText> texts = chart.x_names;
      texts.insert(texts.end(), chart.y_names.begin(), chart.y_names.end());
      texts.push_back(chart.x_axis);
      texts.push_back(chart.y_axis);
      for (const LegendEntry& entry : chart.legend.entries) texts.push_back(entry.name);
      EXPECT_GE(chart.x_ticks.size(), 2u);
      EXPECT_GE(chart.y_ticks.size(), 3u);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        testing::expect_within(texts[i].box, {0, 0, chart.width, chart.height}, texts[i].text);
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_FALSE(testing::overlap(texts[i].box, texts[j].box))
              << texts[i].text << " and " << texts[j].text << " at " << width;
        }
      }
      for (const ChartLine& line : chart.lines) {
        for (const Point& p : line.points) EXPECT_TRUE(chart.plot.contains(p));
        for (const Point& p : line.band) EXPECT_TRUE(chart.plot.contains(p));
      }
    }
  }
}

TEST(LineChart, NamesItsAxesWithUnits) {
  const auto data = chart_to_show(losses(40));
  const LineChart chart = layout_line_chart(*data, 960, measure_text);
  EXPECT_EQ(chart.x_axis.text, "step");
  EXPECT_EQ(chart.y_axis.text, "nat");
  EXPECT_EQ(layout_line_chart(*chart_to_show(snr()), 960, measure_text).y_axis.text, "SNR (dB)");
  EXPECT_EQ(chart.legend.entries.size(), 2u);
  for (const Tick& tick : chart.x_ticks) EXPECT_EQ(tick.value, std::round(tick.value));
}

TEST(LineChart, ManyStepsShareTheirPixelsWithoutLosingAPeak) {
  analysis::Table table = losses(100'000);
  table.rows[51'234][1] = 9.0;
  const auto data = chart_to_show(table);
  const LineChart chart = layout_line_chart(*data, 960, measure_text);
  const std::vector<Point>& piece = chart.lines[0].points;
  EXPECT_LE(piece.size(), 4u * 960);
  EXPECT_LE(chart.strips.size(), 960u / 4 + 1);
  const auto top = std::ranges::min_element(piece, {}, &Point::y);
  EXPECT_NEAR(top->x, chart.plot.left + 0.51234 * chart.plot.width(), 1.5);
  EXPECT_NEAR(top->y, chart.plot.top + 0.05 / 1.1 * chart.plot.height(),
              0.06 * chart.plot.height());
}

TEST(LineChart, AStripUnderThePointerLeadsToTheRow) {
  const auto data = chart_to_show(losses(11));
  const Drawing drawing = draw_chart(*data, 960, measure_text);
  const LineChart chart = layout_line_chart(*data, 960, measure_text);
  const double x = chart.plot.left + 0.7 * chart.plot.width();  // step 7 of 0 to 10
  const auto link = link_at(drawing, {x + 10, chart.plot.top + 5});
  ASSERT_TRUE(link);
  EXPECT_EQ(*link, bar_link(7));
  EXPECT_NE(drawing.title(*link)->find("step 7"), std::string::npos);
  EXPECT_FALSE(link_at(drawing, {2, 2}));
  const Drawing marked = draw_chart(*data, 960, measure_text, 7);
  EXPECT_EQ(marked.shapes().size(), drawing.shapes().size() + 1);
}

TEST(LineChart, TextAlternativeHasTheEndsOfEachLine) {
  const std::string text = describe_chart(*chart_to_show(snr()));
  EXPECT_EQ(text,
            "SNR. Lines over step: x from 20.0 dB at step 0 to 21.0 dB at step 10; dy from 12.0 dB "
            "at step 10 to 12.0 dB at step 10. The table below lists the same values.");
}

}  // namespace
}  // namespace mansard::figure
