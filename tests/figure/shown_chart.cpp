// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/shown_chart.h"

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::two_columns;

analysis::Table bars(std::size_t count, double value) {
  std::vector<std::pair<std::string, analysis::Cell>> rows;
  for (std::size_t i = 0; i < count; ++i) rows.emplace_back("bar " + std::to_string(i), value);
  return two_columns(rows, {.kind = analysis::ChartKind::bars, .label_keys = {}, .value_keys = {}});
}

TEST(ShownChart, ShowsOnlyInformativeCharts) {
  EXPECT_TRUE(chart_to_show(bars(2, 1)));
  EXPECT_FALSE(chart_to_show(bars(1, 1)));
  EXPECT_FALSE(chart_to_show(bars(2, 0)));
  EXPECT_FALSE(chart_to_show(bars(0, 0)));
  analysis::Table without = bars(2, 1);
  without.chart.reset();
  EXPECT_FALSE(chart_to_show(without));
}

TEST(ShownChart, CaptionNamesOmittedBars) {
  const analysis::Table few = bars(3, 1);
  EXPECT_EQ(chart_caption(few, *chart_to_show(few)), "");
  const analysis::Table many = bars(40, 1);
  EXPECT_EQ(chart_to_show(many)->bars.size(), 24u);
  EXPECT_EQ(chart_to_show(many)->left_out, 16u);
  EXPECT_NE(chart_caption(many, *chart_to_show(many)).find("24 of 40"), std::string::npos);
  analysis::Table chosen = bars(3, 1);
  chosen.chart->rows = {0, 2};
  chosen.chart->selection = "the even ones";
  EXPECT_NE(chart_caption(chosen, *chart_to_show(chosen)).find("the even ones"), std::string::npos);
}

}  // namespace
}  // namespace mansard::figure
