// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/bar_chart.h"

#include <limits>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::expect_legible;
using testing::kWidths_px;
using testing::measure_text;

analysis::Table ceilings() {
  analysis::Table table;
  table.title = "Ceilings";
  table.columns = {{"ceiling", "ceiling", analysis::CellFormat::text, "", ""},
                   {"flop_per_s", "rate", analysis::CellFormat::quantity, "FLOP/s", ""},
                   {"of_boost", "of boost", analysis::CellFormat::fraction, "", ""},
                   {"limit", "limit", analysis::CellFormat::quantity, "FLOP/s", ""}};
  table.rows = {{std::string("FP8"), 1.9e15, 0.95, 2.1e15},
                {std::string("FP8"), 1.5e15, 0.75, 2.1e15},
                {std::string("BF16"), 0.8e15, 0.8, analysis::Cell()},
                {std::string("FP64"), 33e12, analysis::Cell(), 40e12},
                {std::string("INT4"), analysis::Cell(), analysis::Cell(), analysis::Cell()}};
  table.chart = analysis::Chart{.kind = analysis::ChartKind::bars,
                                .rows = {0, 2, 3, 4},
                                .label_keys = {"ceiling"},
                                .value_keys = {"flop_per_s"},
                                .fraction_key = "of_boost"};
  return table;
}

// Two GPUs, one row per part; the second GPU has a part that the first lacks.
analysis::Table parts() {
  analysis::Table table;
  table.title = "A typical step";
  table.columns = {{"device", "GPU", analysis::CellFormat::count, "", ""},
                   {"kind", "time of", analysis::CellFormat::text, "", ""},
                   {"name", "which", analysis::CellFormat::text, "", ""},
                   {"time_s", "a step", analysis::CellFormat::quantity, "s", ""}};
  const auto add = [&](std::int64_t device, const char* kind, const char* name,
                       analysis::Cell time_s) {
    table.rows.push_back({device, std::string(kind), std::string(name), std::move(time_s)});
  };
  add(0, "kernels", "gemm", 6e-3);
  add(0, "memcpy_memset", "memcpy and memset", 1e-3);
  add(0, "idle", "launching", 3e-3);
  add(1, "kernels", "gemm", 5e-3);
  add(1, "kernels", "attention", 2e-3);
  add(1, "idle", "launching", 3e-3);
  table.chart = analysis::Chart{.kind = analysis::ChartKind::stacked_bars,
                                .label_keys = {"device"},
                                .value_keys = {"time_s"},
                                .part_key = "name",
                                .part_kind_key = "kind"};
  return table;
}

void expect_sound_bars(const ChartData& data) {
  for (const double width : kWidths_px) {
    const BarChart figure = layout_bar_chart(data, width, measure_text);
    ASSERT_EQ(figure.values.size(), data.bars.size());
    std::vector<Rect> areas;
    for (const BarPart& part : figure.parts) areas.push_back(part.rect);
    for (const BarReference& reference : figure.references) {
      const Segment& mark = reference.mark;
      areas.push_back({mark.a.x, std::max(mark.a.y, figure.frame.plot.top), mark.b.x,
                       std::min(mark.b.y, figure.frame.plot.bottom)});
    }
    expect_legible(figure.frame, figure.values, areas);
  }
}

TEST(BarChart, LengthsAreLinearFromZero) {
  const ChartData data = read_chart(ceilings(), 10).value();
  ASSERT_EQ(data.bars.size(), 4u) << "those that were asked for";
  expect_sound_bars(data);
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  ASSERT_EQ(figure.parts.size(), 3u) << "what is not known has no bar";
  EXPECT_NEAR(figure.parts[0].rect.left, figure.frame.scale.map(0), 1e-9);
  EXPECT_NEAR(figure.parts[0].rect.width() / figure.parts[1].rect.width(), 1.9 / 0.8, 1e-9);
  EXPECT_EQ(figure.values[0].text, "1.90 PFLOP/s");
  EXPECT_EQ(figure.values[3].text, "-");
  EXPECT_EQ(figure.frame.axis_name.text, "rate (PFLOP/s)");
}

TEST(BarChart, ComputesReferencesFromFractions) {
  const ChartData data = read_chart(ceilings(), 10).value();
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  ASSERT_EQ(figure.references.size(), 2u);
  EXPECT_EQ(figure.references[1].row, 1u);
  EXPECT_NEAR(figure.frame.scale.invert(figure.references[0].mark.a.x), 2e15, 1e3);
  EXPECT_NEAR(figure.frame.scale.invert(figure.references[1].mark.a.x), 1e15, 1e3);
  ASSERT_EQ(figure.frame.legend.entries.size(), 2u);
  EXPECT_EQ(figure.frame.legend.entries[0].name.text, "rate");
  EXPECT_EQ(figure.frame.legend.entries[1].name.text, "100 % of boost");
  EXPECT_GT(figure.values[0].box.left, figure.references[0].mark.a.x) << "behind the mark";
}

TEST(BarChart, ReadsReferencesFromAColumn) {
  analysis::Table table = ceilings();
  table.chart->fraction_key.clear();
  table.chart->reference_key = "limit";
  const ChartData data = read_chart(table, 10).value();
  expect_sound_bars(data);
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  ASSERT_EQ(figure.references.size(), 2u);
  EXPECT_EQ(figure.references[1].row, 2u) << "BF16 has no limit";
  EXPECT_NEAR(figure.frame.scale.max(), 2.1e15, 1) << "the axis reaches to the marks";
}

TEST(BarChart, AMissingColumnGivesNoReference) {
  analysis::Table table = ceilings();
  table.chart->fraction_key = "of_theory";
  const BarChart figure = layout_bar_chart(read_chart(table, 10).value(), 960, measure_text);
  EXPECT_TRUE(figure.references.empty());
  EXPECT_TRUE(figure.frame.legend.entries.empty());
  table.chart->value_keys = {"no such"};
  EXPECT_FALSE(read_chart(table, 10));
  table.chart.reset();
  EXPECT_FALSE(read_chart(table, 10));
}

TEST(BarChart, CountsOmittedBars) {
  const ChartData data = read_chart(ceilings(), 2).value();
  EXPECT_EQ(data.bars.size(), 2u);
  EXPECT_EQ(data.left_out, 2u);
}

TEST(BarChart, DrawsAllRowsWithoutASelection) {
  analysis::Table table = ceilings();
  EXPECT_EQ(read_chart(table, 10)->bars[1].row, 2u);
  table.chart->rows = {1, 99};
  ASSERT_EQ(read_chart(table, 10)->bars.size(), 1u) << "there is no row 99";
  EXPECT_EQ(read_chart(table, 10)->bars[0].values[0].value, 1.5e15);
  table.chart->rows.clear();
  EXPECT_EQ(read_chart(table, 10)->bars.size(), 5u);
}

TEST(BarChart, PartsAreAdjacentAndAddUp) {
  const ChartData data = read_chart(parts(), 10).value();
  expect_sound_bars(data);
  std::vector<std::string> labels;
  for (const ChartSeries& s : data.series) labels.push_back(s.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"gemm", "attention", "memcpy and memset", "idle: launching"}))
      << "kinds stay together";
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  ASSERT_EQ(figure.parts.size(), 6u);
  for (std::size_t i = 1; i < figure.parts.size(); ++i) {
    if (figure.parts[i].row != figure.parts[i - 1].row) continue;
    EXPECT_EQ(figure.parts[i].rect.left, figure.parts[i - 1].rect.right);
    EXPECT_GT(figure.parts[i].series, figure.parts[i - 1].series);
  }
  EXPECT_NEAR(figure.parts.back().rect.right, figure.frame.scale.map(10e-3), 1e-9);
  EXPECT_EQ(figure.frame.rows[1].name.text, "GPU 1");
  EXPECT_EQ(figure.values[0].text, "10.0 ms");
}

TEST(BarChart, LegendOfASingleBarShowsTheValues) {
  analysis::Table table = parts();
  table.rows.resize(3);
  const ChartData data = read_chart(table, 10).value();
  expect_sound_bars(data);
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  ASSERT_EQ(figure.frame.legend.entries.size(), 3u);
  EXPECT_EQ(figure.frame.legend.entries[0].name.text, "gemm, 6.00 ms (60.0 %)");
  EXPECT_EQ(figure.frame.rows[0].name.text, "GPU 0");
}

TEST(BarChart, NanPartsHaveNoSum) {
  analysis::Table table = parts();
  table.rows[1][3] = NAN;
  table.rows[2][3] = -1e-3;
  const ChartData data = read_chart(table, 10).value();
  expect_sound_bars(data);
  const BarChart figure = layout_bar_chart(data, 960, measure_text);
  EXPECT_EQ(figure.parts.size(), 4u);
  EXPECT_EQ(figure.values[0].text, "n/a");
  EXPECT_EQ(figure.values[1].text, "10.0 ms");
}

TEST(BarChart, ColumnsArePartsAndTheRemainderIsOther) {
  analysis::Table table;
  table.columns = {{"device", "GPU", analysis::CellFormat::count, "", ""},
                   {"step", "step", analysis::CellFormat::text, "", ""},
                   {"time_s", "time", analysis::CellFormat::quantity, "s", ""},
                   {"kernels_s", "kernels", analysis::CellFormat::quantity, "s", ""},
                   {"idle_s", "idle", analysis::CellFormat::quantity, "s", ""}};
  table.rows = {{std::int64_t{0}, std::string("step 1"), 10.0, 6.0, 4.0},
                {std::int64_t{0}, std::string("step 2"), 10.0, 6.0, 1.0}};
  table.chart = analysis::Chart{.kind = analysis::ChartKind::stacked_bars,
                                .label_keys = {"device", "step"},
                                .value_keys = {"kernels_s", "idle_s"},
                                .total_key = "time_s",
                                .value_kinds = {"kernels", "idle"}};
  const ChartData data = read_chart(table, 10).value();
  expect_sound_bars(data);
  ASSERT_EQ(data.series.size(), 3u);
  EXPECT_EQ(data.series[1].kind, "idle");
  EXPECT_EQ(data.series[2].label, "other");
  EXPECT_EQ(data.bars[0].label, "step 1") << "all are of one GPU";
  EXPECT_DOUBLE_EQ(data.bars[0].values[2].value, 0);
  EXPECT_DOUBLE_EQ(data.bars[1].values[2].value, 3);
  EXPECT_DOUBLE_EQ(data.bars[1].sum(), 10);
  table.rows.pop_back();
  EXPECT_EQ(read_chart(table, 10)->series.size(), 2u) << "nothing is lacking";
}

TEST(BarChart, HandlesManyBarsOfAllMagnitudesWithLongNames) {
  analysis::Table table = ceilings();
  table.rows.clear();
  table.chart->rows.clear();
  for (int i = 0; i < 60; ++i) {
    table.rows.push_back({std::string(4000, 'n') + std::to_string(i),
                          std::pow(10.0, -9 + 12.0 * i / 59), 0.5, analysis::Cell()});
  }
  expect_sound_bars(read_chart(table, 100).value());
  for (std::vector<analysis::Cell>& row : table.rows) row[1] = -std::get<double>(row[1]);
  expect_sound_bars(read_chart(table, 100).value());
  for (std::vector<analysis::Cell>& row : table.rows) row[1] = 0.0;
  expect_sound_bars(read_chart(table, 100).value());
  table.rows.resize(1);
  expect_sound_bars(read_chart(table, 100).value());
}

TEST(BarChart, FractionsAreShownAsPercentages) {
  analysis::Table table = ceilings();
  table.chart->value_keys = {"of_boost"};
  table.chart->fraction_key.clear();
  const BarChart figure = layout_bar_chart(read_chart(table, 10).value(), 960, measure_text);
  EXPECT_EQ(figure.frame.axis_name.text, "of boost (%)");
  EXPECT_EQ(figure.frame.ticks.back().label, "90");
  EXPECT_NEAR(figure.frame.ticks.back().value, 0.9, 1e-12);
  EXPECT_NEAR(figure.frame.ticks.back().pixel, figure.frame.scale.map(0.9), 1e-9);
}

}  // namespace
}  // namespace mansard::figure
