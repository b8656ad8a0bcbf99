// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "reports/figure/slice_style.h"
#include "reports/figure/svg_writer.h"
#include "reports/figure/timeline_drawing.h"
#include "reports/web/page_theme.h"

namespace mansard::reports {
namespace {

constexpr double kLabels_px = 132;  // to the left of the rows
constexpr double kNarrow_px = 560;
constexpr double kRowsTop_px = 4;
constexpr double kRowsBottom_px = 4;
constexpr std::size_t kMostRangeLanes = 5;
constexpr std::size_t kMostStreamRows = 12;  // of all devices, which share them

// Capitals are wider than the page's mean character, and names must not leave their boxes.
figure::TextSize measure(std::string_view text) {
  constexpr double kCapital_px = 2;
  figure::TextSize size = figure::page_text_size(text);
  size.width += kCapital_px * static_cast<double>(std::ranges::count_if(
                                  text, [](char c) { return c >= 'A' && c <= 'Z'; }));
  return size;
}

figure::Drawing draw(const figure::Timeline& timeline, const figure::TimeSpan& window,
                     const std::vector<bool>& drawn, double width_px) {
  const bool narrow = width_px < kNarrow_px;
  const double top = std::ceil(figure::kTimeAxis_lines * measure("0").height);
  figure::Rect plot{narrow ? 1 : kLabels_px, top, width_px - 1, top};
  const figure::TimeScale scale(window, plot.left, plot.right);
  figure::TimelineRows rows =
      figure::lay_out_rows(timeline, plot.left, plot.right, top + kRowsTop_px, narrow,
                           [&](std::size_t track) { return drawn[track]; });
  plot.bottom = rows.bottom + kRowsBottom_px;
  for (figure::TimelineRow& row : rows.rows) figure::find_visible(row, timeline, scale, plot);
  figure::Drawing out(width_px, plot.bottom);
  figure::SliceNames names(timeline, measure);
  figure::draw_timeline(
      out, {timeline, scale, {0, 0, width_px, plot.bottom}, plot, rows.rows, narrow}, names);
  return out;
}

}  // namespace

PageFigure timeline_figure(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           std::string description) {
  const std::vector<bool> drawn = tracks_in_figure(timeline, window);
  return {draw(timeline, window, drawn, kWideFigure_px),
          draw(timeline, window, drawn, kNarrowFigure_px), "timeline", std::move(description)};
}

std::vector<bool> tracks_in_figure(const figure::Timeline& timeline,
                                   const figure::TimeSpan& window) {
  std::map<std::int32_t, std::size_t> streams;  // of each device, so far
  for (const figure::TimelineTrack& track : timeline.tracks) {
    if (track.kind == figure::TrackKind::stream) streams[track.device_id] = 0;
  }
  const std::size_t most =
      std::max<std::size_t>(1, kMostStreamRows / std::max<std::size_t>(1, streams.size()));
  const figure::TimeScale scale(window, 0, 1);
  std::vector<bool> drawn;
  for (const figure::TimelineTrack& track : timeline.tracks) {
    const bool any = !figure::visible_blocks(track.slices, scale, {0, 0, 1, 1}).empty();
    switch (track.kind) {
      case figure::TrackKind::steps:
        drawn.push_back(any);
        break;
      case figure::TrackKind::device_ranges:
        drawn.push_back(any && track.lane < kMostRangeLanes);
        break;
      case figure::TrackKind::stream:
        drawn.push_back(any && ++streams[track.device_id] <= most);
        break;
      case figure::TrackKind::host_ranges:
        drawn.push_back(any && streams.empty() && track.lane < kMostRangeLanes);
        break;
      case figure::TrackKind::calls:
        drawn.push_back(false);
        break;
    }
  }
  return drawn;
}

std::string class_swatch(analysis::OperationClass slice_class) {
  constexpr double kHeight_px = 14;
  const figure::SliceStyle style = figure::slice_style(slice_class);
  std::string html =
      "<svg class=\"swatch\" viewBox=\"0 0 22 14\" aria-hidden=\"true\"><path "
      "class=\"slice c\" style=\"" +
      colour_style(figure::class_ink(style.colour_class)) + "\" d=\"M0 0h22v14h-22z\"/>";
  for (const double line : style.lines) {
    char path[64];
    std::snprintf(path, sizeof path, "M0 %.1fh22", line * kHeight_px);
    html += std::string("<path class=\"slice-line\" d=\"") + path + "\"/>";
  }
  return html + "</svg>";
}

}  // namespace mansard::reports
