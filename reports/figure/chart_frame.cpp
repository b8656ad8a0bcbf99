// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/chart_frame.h"

#include <algorithm>

namespace mansard::figure {
namespace {

constexpr double kMargin_px = 12;
constexpr double kNarrow_px = 560;       // figures below this width put long names above the bars
constexpr double kLongName = 0.3;        // of the width
constexpr double kMaxNameWidth = 0.4;    // of the width
constexpr double kMaxValueWidth = 0.25;  // of the width
constexpr double kNameGap_px = 10;       // from name to plot
constexpr double kNameMiddle_px = 8;     // of a name above its bar
constexpr double kAxisGap_px = 4;        // from the plot's side to a name above a bar
constexpr double kValueGap_px = 6;       // from bar to value
constexpr double kLegendGap_px = 8;      // from legend to plot
constexpr double kTickGap_px = 60;
constexpr double kAxisLine_px = 18;    // a line of text below the plot
constexpr std::size_t kManyRows = 20;  // from this number of rows on, rows are closer

struct RowHeights {
  double name = 0;  // above the bar
  double bar = 0;
  double gap = 0;  // half above, half below
  double total() const { return name + bar + gap; }
};

RowHeights row_heights(std::size_t rows, bool names_above) {
  const bool many = rows >= kManyRows;
  if (names_above) return {18, 14, many ? 6.0 : 10.0};
  return many ? RowHeights{0, 15, 5} : RowHeights{0, 18, 9};
}

double widest(const std::vector<std::string>& texts, const MeasureText& measure) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, measure(text).width);
  return width;
}

}  // namespace

std::string axis_name(const analysis::Column& column, const std::string& prefix) {
  const std::string unit = column.format == analysis::CellFormat::fraction ? "%"
                           : column.format == analysis::CellFormat::ratio  ? "x"
                                                                           : column.unit;
  const std::string full = prefix + unit;
  if (column.label.empty()) return full;
  return full.empty() ? column.label : column.label + " (" + full + ')';
}

namespace {

// The axis always includes zero, since bar lengths are relative to it.
LinearScale scale_of(const FrameContent& content, const Rect& plot) {
  const double low = std::min(content.low, 0.0);
  const double high = std::max(content.high, 0.0);
  return LinearScale(low, low < high ? high : low + 1, plot.left, plot.right);
}

void add_axis(ChartFrame& frame, const FrameContent& content, const MeasureText& measure) {
  const LinearScale& scale = frame.scale;
  const bool percent = content.column.format == analysis::CellFormat::fraction;
  const bool si = content.column.format == analysis::CellFormat::quantity;
  const double factor = percent ? 100 : 1;
  LinearTicks even = linear_ticks_apart(
      LinearScale(factor * scale.min(), factor * scale.max(), scale.pixel_min(), scale.pixel_max()),
      kTickGap_px, si ? TickLabels::si : TickLabels::number);
  const bool nothing = content.low == 0 && content.high == 0;
  for (Tick& tick : even.ticks) {
    if (nothing && tick.value != 0) continue;
    tick.value /= factor;
    PlacedText name = place_text(tick.label, TextAnchor::middle, tick.pixel,
                                 frame.plot.bottom + kAxisLine_px * 0.6, measure);
    if (name.box.left < 0 || name.box.right > frame.width) continue;
    frame.ticks.push_back(std::move(tick));
    frame.tick_names.push_back(std::move(name));
  }
  // Without values there is no SI prefix: the empty axis from 0 to 1 must show "s".
  frame.axis_name = place_text(fit_text(axis_name(content.column, nothing ? "" : even.prefix),
                                        frame.width - 2 * kMargin_px, measure),
                               TextAnchor::middle, (frame.plot.left + frame.plot.right) / 2,
                               frame.plot.bottom + kAxisLine_px * 1.6, measure);
  // Keeps a long axis name inside the figure.
  Rect& box = frame.axis_name.box;
  const double left = std::clamp(box.left, kMargin_px, frame.width - kMargin_px - box.width());
  box = {left, box.top, left + box.width(), box.bottom};
}

}  // namespace

ChartFrame layout_frame(const FrameContent& content, double width_px, const MeasureText& measure) {
  const double name_width = widest(content.names, measure);
  const bool above = width_px < kNarrow_px && name_width > kLongName * width_px;
  const RowHeights heights = row_heights(content.names.size(), above);
  const double value_width = std::min(widest(content.values, measure), kMaxValueWidth * width_px);
  const double names_end =
      above ? kMargin_px
            : kMargin_px + std::min(name_width, kMaxNameWidth * width_px) + kNameGap_px;

  Legend legend = place_legend(content.legend, kMargin_px, width_px - kMargin_px, 4, measure);
  const double top = legend.bottom + (legend.entries.empty() ? 0 : kLegendGap_px);
  const Rect plot{names_end, top, width_px - kMargin_px - value_width - kValueGap_px,
                  top + static_cast<double>(content.names.size()) * heights.total()};
  ChartFrame frame{.width = width_px,
                   .height = plot.bottom + 2 * kAxisLine_px + 4,
                   .plot = plot,
                   .scale = scale_of(content, plot),
                   .ticks = {},
                   .tick_names = {},
                   .axis_name = {},
                   .legend = std::move(legend),
                   .rows = {},
                   .value_width = value_width};
  const double room =
      above ? width_px - 2 * kMargin_px - kAxisGap_px : names_end - kNameGap_px - kMargin_px;
  for (std::size_t i = 0; i < content.names.size(); ++i) {
    const double row_top = top + static_cast<double>(i) * heights.total() + heights.gap / 2;
    const double bar_top = row_top + heights.name;
    const double bar_bottom = bar_top + heights.bar;
    std::string text = fit_text(content.names[i], room, measure);
    PlacedText name = above ? place_text(std::move(text), TextAnchor::start,
                                         plot.left + kAxisGap_px, row_top + kNameMiddle_px, measure)
                            : place_text(std::move(text), TextAnchor::end, plot.left - kNameGap_px,
                                         (bar_top + bar_bottom) / 2, measure);
    frame.rows.push_back({std::move(name), bar_top, bar_bottom});
  }
  add_axis(frame, content, measure);
  return frame;
}

PlacedText place_value(const ChartFrame& frame, std::size_t row, double right, std::string text,
                       const MeasureText& measure) {
  return place_text(fit_text(text, frame.value_width, measure), TextAnchor::start,
                    right + kValueGap_px, frame.rows[row].middle(), measure);
}

}  // namespace mansard::figure
