// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/chart_text.h"

#include <algorithm>
#include <cmath>

#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr std::size_t kMaxNamed = 5;
constexpr int kName = 60;  // characters

std::string name_of(const ChartBar& bar) { return truncate_middle(bar.label, kName); }

std::string with_value(const ChartBar& bar) { return name_of(bar) + ' ' + bar.values.front().text; }

// Indices of the values with the largest magnitudes, largest first.
std::vector<std::size_t> largest(const std::vector<double>& values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return std::fabs(values[i]); });
  order.resize(std::min(order.size(), kMaxNamed));
  return order;
}

double length(const ChartValue& value) { return value.drawable() ? value.value : 0; }

std::string waterfall_text(const ChartData& data) {
  std::string text = "From " + with_value(data.bars.front());
  if (data.bars.size() == 1) return text + '.';
  text += " to " + with_value(data.bars.back());
  std::vector<double> differences;
  for (std::size_t i = 1; i + 1 < data.bars.size(); ++i) {
    differences.push_back(length(data.bars[i].values.front()));
  }
  std::string most;
  for (const std::size_t i : largest(differences)) {
    most += (most.empty() ? "; largest changes: " : ", ") + with_value(data.bars[i + 1]);
  }
  return text + most + '.';
}

std::string bars_text(const ChartData& data) {
  std::string text = "Bars of " + data.column.label + ": ";
  const std::size_t named = std::min(data.bars.size(), kMaxNamed);
  for (std::size_t i = 0; i < named; ++i) {
    const ChartBar& bar = data.bars[i];
    text += (i > 0 ? ", " : "") + with_value(bar);
    if (bar.reference) text += " (" + data.reference_label + ' ' + bar.reference->text + ')';
  }
  const std::size_t more = data.bars.size() - named + data.left_out;
  if (more > 0) text += " and " + format_whole(more) + " more";
  return text + '.';
}

// The first and the last value of each line.
std::string lines_text(const ChartData& data) {
  std::string text = "Lines over " + data.x_column.label + ": ";
  for (std::size_t i = 0; i < data.series.size(); ++i) {
    const auto drawn = [i](const ChartBar& bar) { return bar.values[i].drawable(); };
    const auto first = std::ranges::find_if(data.bars, drawn);
    const auto last = std::find_if(data.bars.rbegin(), data.bars.rend(), drawn);
    text += (i > 0 ? "; " : "") + data.series[i].label + " from " + first->values[i].text + " at " +
            first->label + " to " + last->values[i].text + " at " + last->label;
  }
  return text + '.';
}

// All values at one position of the x axis, one per line.
std::string position_tooltip(const ChartData& data, const ChartBar& bar) {
  std::string text = bar.label;
  for (std::size_t i = 0; i < data.series.size(); ++i) {
    const ChartValue& value = bar.values[i];
    if (!value.drawable()) continue;
    text += '\n' + data.series[i].label + ": " + value.text;
    if (value.low < value.high) {
      text += " (" + value_text(value.low, data.column) + " to " +
              value_text(value.high, data.column) + ')';
    }
  }
  return text;
}

std::string stacked_text(const ChartData& data) {
  std::string text = "Stacked bars: ";
  const std::size_t named = std::min<std::size_t>(data.bars.size(), 2);
  for (std::size_t i = 0; i < named; ++i) {
    const ChartBar& bar = data.bars[i];
    text += (i > 0 ? "; " : "") + name_of(bar) + ' ' + value_text(bar.sum(), data.column);
    std::vector<double> parts;
    for (const ChartValue& v : bar.values) parts.push_back(std::max(0.0, length(v)));
    bool first = true;
    for (const std::size_t part : largest(parts)) {
      text += (first ? ": " : ", ") + data.series[part].label + ' ' + bar.values[part].text;
      first = false;
    }
  }
  const std::size_t more = data.bars.size() - named + data.left_out;
  if (more > 0) text += "; and " + format_whole(more) + " more bars";
  return text + '.';
}

}  // namespace

std::string describe_chart(const ChartData& data) {
  std::string text = data.title.empty() ? std::string() : data.title + ". ";
  switch (data.kind) {
    case analysis::ChartKind::waterfall:
      text += waterfall_text(data);
      break;
    case analysis::ChartKind::stacked_bars:
      text += stacked_text(data);
      break;
    case analysis::ChartKind::bars:
      text += bars_text(data);
      break;
    case analysis::ChartKind::lines:
      text += lines_text(data);
      break;
  }
  return text + " The table below lists the same values.";
}

std::string bar_tooltip(const ChartData& data, const ChartBar& bar) {
  if (data.kind == analysis::ChartKind::lines) return position_tooltip(data, bar);
  std::string text = bar.label + ": ";
  text += data.kind == analysis::ChartKind::stacked_bars ? value_text(bar.sum(), data.column)
                                                         : bar.values.front().text;
  if (bar.reference) text += "; " + data.reference_label + ": " + bar.reference->text;
  if (!bar.description.empty()) text += ". " + bar.description;
  return text;
}

std::string part_tooltip(const ChartData& data, const ChartBar& bar, std::size_t series) {
  const double whole = bar.sum();
  const ChartValue& value = bar.values[series];
  std::string text = bar.label + ", " + data.series[series].label + ": " + value.text;
  if (whole > 0) text += " (" + format_percent(value.value / whole) + ')';
  return text;
}

}  // namespace mansard::figure
