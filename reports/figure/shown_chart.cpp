// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/shown_chart.h"

#include <algorithm>

#include "support/text.h"

namespace mansard::figure {
namespace {

constexpr std::size_t kMostBars = 24;
constexpr std::size_t kMostStackedBars = 60;
constexpr double kLeastWidth_px = 1.5;

bool tells_something(const ChartData& data) {
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
  std::optional<ChartData> data = read_chart(table, stacked ? kMostStackedBars : kMostBars);
  if (data && !tells_something(*data)) data.reset();
  return data;
}

std::string chart_caption(const analysis::Table& table, const ChartData& data) {
  std::string text;
  const std::size_t selected = table.chart->rows.size();
  if (selected > 0 && selected < table.rows.size() && !table.chart->selection.empty()) {
    text = "Drawn are " + one_line(table.chart->selection) + ". ";
  }
  if (data.left_out > 0) {
    text += "These are the first " + std::to_string(data.bars.size()) + " of " +
            std::to_string(data.bars.size() + data.left_out) + ". ";
  }
  return text.empty() ? text : text + "The table has all rows.";
}

Rect visible_bar(Rect bar) {
  const double missing = kLeastWidth_px - bar.width();
  if (missing > 0) {
    bar.left -= missing / 2;
    bar.right += missing / 2;
  }
  return bar;
}

Rect row_area(const ChartFrame& frame, std::size_t row) {
  const FrameRow& r = frame.rows[row];
  return {0, std::min(r.name.box.top, r.top), frame.width, r.bottom};
}

std::optional<std::size_t> row_at(const ChartFrame& frame, Point point) {
  for (std::size_t row = 0; row < frame.rows.size(); ++row) {
    if (row_area(frame, row).contains(point)) return row;
  }
  return std::nullopt;
}

const BarPart* part_at(const BarChart& figure, Point point) {
  for (const BarPart& part : figure.parts) {
    if (visible_bar(part.rect).contains(point)) return &part;
  }
  return nullptr;
}

}  // namespace mansard::figure
