// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/waterfall.h"

#include <algorithm>

namespace mansard::figure {
namespace {

constexpr double kClearance_px = 3;  // distance of a connector from a name

// Start and end of a row, in the column's unit.
struct Level {
  double before = 0;
  double after = 0;
  WaterfallRole role = WaterfallRole::total;
  bool drawn = false;
};

std::vector<Level> levels_of(const ChartData& data) {
  std::vector<Level> levels;
  double now = 0;
  for (std::size_t i = 0; i < data.bars.size(); ++i) {
    const ChartValue& v = data.bars[i].values.front();
    const bool total = i == 0 || i + 1 == data.bars.size();
    Level level{total ? 0 : now, now, WaterfallRole::total, v.drawable() && v.value != 0};
    if (v.drawable()) {
      now = level.after = level.before + v.value;
    } else {
      level.before = now;
    }
    if (!total) {
      const bool gain = (v.value > 0) == data.more_is_better;
      level.role = gain ? WaterfallRole::gain : WaterfallRole::loss;
    }
    levels.push_back(level);
  }
  return levels;
}

// The legend is needed only if both colors occur; the sign has the same information.
std::vector<WaterfallRole> roles_to_explain(const std::vector<Level>& levels) {
  const auto has = [&](WaterfallRole role) {
    return std::ranges::any_of(levels, [&](const Level& l) { return l.drawn && l.role == role; });
  };
  if (!has(WaterfallRole::loss) || !has(WaterfallRole::gain)) return {};
  return {WaterfallRole::loss, WaterfallRole::gain};
}

// The connector from one bar to the next at `x`, split in two if the next bar's name is in the way.
void connect(std::vector<Segment>& out, double x, double top, double bottom, const Rect& name) {
  const bool blocked = x > name.left - kClearance_px && x < name.right + kClearance_px &&
                       name.top < bottom && name.bottom > top;
  if (!blocked) {
    if (bottom > top) out.push_back({{x, top}, {x, bottom}});
    return;
  }
  if (name.top > top) out.push_back({{x, top}, {x, name.top}});
  if (name.bottom < bottom) out.push_back({{x, name.bottom}, {x, bottom}});
}

}  // namespace

Waterfall layout_waterfall(const ChartData& data, double width_px, const MeasureText& measure) {
  const std::vector<Level> levels = levels_of(data);
  FrameContent content;
  content.column = data.column;
  for (const ChartBar& bar : data.bars) {
    content.names.push_back(bar.label);
    content.values.push_back(bar.values.front().text);
  }
  for (const Level& level : levels) {
    content.low = std::min({content.low, level.before, level.after});
    content.high = std::max({content.high, level.before, level.after});
  }
  std::vector<WaterfallRole> legend = roles_to_explain(levels);
  for (const WaterfallRole role : legend) {
    content.legend.emplace_back(role == WaterfallRole::loss ? "lost" : "gained");
  }
  Waterfall out{layout_frame(content, width_px, measure), std::move(legend), {}, {}};
  const ChartFrame& frame = out.frame;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const FrameRow& row = frame.rows[i];
    const double before = frame.scale.map(level.before);
    const double after = frame.scale.map(level.after);
    const Rect rect{std::min(before, after), row.top, std::max(before, after), row.bottom};
    out.bars.push_back(
        {i, level.role, rect, level.drawn,
         place_value(frame, i, rect.right, data.bars[i].values.front().text, measure)});
    // A row without a bar keeps the connector of the previous one.
    if (!level.drawn && i > 0 && i + 1 < levels.size()) {
      out.connectors.push_back({{after, row.top}, {after, row.bottom}});
    }
    if (i + 1 < levels.size()) {
      connect(out.connectors, after, row.bottom, frame.rows[i + 1].top, frame.rows[i + 1].name.box);
    }
  }
  return out;
}

}  // namespace mansard::figure
