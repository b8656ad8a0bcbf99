// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/bar_chart.h"

#include <algorithm>

#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kReferenceOverhang_px = 2;

bool drawn(const ChartValue& value, bool stacked) {
  return value.drawable() && (stacked ? value.value > 0 : value.value != 0);
}

// The total of a bar's parts. If a part is NaN there is no total.
std::string sum_text(const ChartBar& bar, const analysis::Column& column) {
  const bool known =
      std::ranges::all_of(bar.values, [](const ChartValue& v) { return v.drawable(); });
  return known ? value_text(bar.sum(), column) : "n/a";
}

// With a single bar, the legend is the only place for the values of its parts.
std::vector<std::string> series_names(const ChartData& data) {
  std::vector<std::string> names;
  const ChartBar* only = data.bars.size() == 1 ? &data.bars.front() : nullptr;
  const double whole = only ? only->sum() : 0;
  for (std::size_t i = 0; i < data.series.size(); ++i) {
    std::string name = data.series[i].label;
    if (only) {
      const ChartValue& v = only->values[i];
      name += ", " + v.text;
      if (drawn(v, true)) name += " (" + format_percent(v.value / whole) + ')';
    }
    names.push_back(std::move(name));
  }
  return names;
}

FrameContent content_of(const ChartData& data) {
  FrameContent content;
  content.column = data.column;
  const bool stacked = data.kind == analysis::ChartKind::stacked_bars;
  const auto include = [&](double value) {
    content.low = std::min(content.low, value);
    content.high = std::max(content.high, value);
  };
  for (const ChartBar& bar : data.bars) {
    content.names.push_back(bar.label);
    content.values.push_back(stacked ? sum_text(bar, data.column) : bar.values.front().text);
    if (stacked) {
      include(bar.sum());
    } else if (drawn(bar.values.front(), false)) {
      include(bar.values.front().value);
    }
    if (bar.reference) include(bar.reference->value);
  }
  if (stacked) {
    content.legend = series_names(data);
  } else if (!data.reference_label.empty()) {
    content.legend = {data.column.label, data.reference_label};
  }
  return content;
}

}  // namespace

BarChart layout_bar_chart(const ChartData& data, double width_px, const MeasureText& measure) {
  const bool stacked = data.kind == analysis::ChartKind::stacked_bars;
  const FrameContent content = content_of(data);
  BarChart out{layout_frame(content, width_px, measure), {}, {}, {}};
  const ChartFrame& frame = out.frame;
  for (std::size_t i = 0; i < data.bars.size(); ++i) {
    const ChartBar& bar = data.bars[i];
    const FrameRow& row = frame.rows[i];
    const double zero = frame.scale.map(0);
    double now = 0;
    double right = zero;
    for (std::size_t s = 0; s < bar.values.size(); ++s) {
      if (!drawn(bar.values[s], stacked)) continue;
      const double from = frame.scale.map(now);
      now = stacked ? now + bar.values[s].value : bar.values[s].value;
      const double to = frame.scale.map(now);
      out.parts.push_back({i, s, {std::min(from, to), row.top, std::max(from, to), row.bottom}});
      right = std::max(right, to);
    }
    if (bar.reference) {
      const double x = frame.scale.map(bar.reference->value);
      out.references.push_back(
          {i, {{x, row.top - kReferenceOverhang_px}, {x, row.bottom + kReferenceOverhang_px}}});
      right = std::max(right, x);
    }
    out.values.push_back(place_value(frame, i, right, content.values[i], measure));
  }
  return out;
}

}  // namespace mansard::figure
