// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/shown_chart.h"

#include <algorithm>

#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr std::size_t kMaxBars = 24;
constexpr std::size_t kMaxStackedBars = 60;

bool tells_something(const ChartData& data) {
  if (data.kind == analysis::ChartKind::lines) return !data.series.empty() && data.bars.size() > 1;
  const bool any = std::ranges::any_of(data.bars, [](const ChartBar& bar) {
    return std::ranges::any_of(bar.values,
                               [](const ChartValue& v) { return v.drawable() && v.value != 0; });
  });
  return any && (data.kind == analysis::ChartKind::stacked_bars || data.bars.size() > 1);
}

}  // namespace

std::optional<ChartData> chart_to_show(const analysis::Table& table) {
  if (!table.chart) return std::nullopt;
  const bool stacked = table.chart->kind == analysis::ChartKind::stacked_bars;
  std::optional<ChartData> data = read_chart(table, stacked ? kMaxStackedBars : kMaxBars);
  if (!data || !tells_something(*data)) return std::nullopt;
  return data;
}

std::string chart_caption(const analysis::Table& table, const ChartData& data) {
  std::string text;
  const std::size_t selected = table.chart->rows.size();
  if (selected > 0 && selected < table.rows.size() && !table.chart->selection.empty()) {
    text = "Shown: " + one_line(table.chart->selection) + ". ";
  }
  if (data.left_out > 0) {
    text += "First " + format_whole(data.bars.size()) + " of " +
            format_whole(data.bars.size() + data.left_out) + " bars. ";
  }
  return text.empty() ? text : text + "The table has all rows.";
}

}  // namespace mansard::figure
