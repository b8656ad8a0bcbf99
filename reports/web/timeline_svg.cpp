// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "reports/figure/slice_style.h"
#include "reports/figure/svg_writer.h"
#include "reports/figure/timeline_drawing.h"
#include "reports/web/page_theme.h"

namespace mansard::reports {
namespace {

constexpr double kLabels_px = 132;  // to the left of the rows
constexpr double kRowsTop_px = 4;
constexpr double kRowsBottom_px = 4;

// Capital letters are wider than the mean character, and names must not exceed their boxes.
figure::TextSize measure(std::string_view text) {
  constexpr double kCapital_px = 2;
  figure::TextSize size = figure::page_text_size(text);
  size.width += kCapital_px * static_cast<double>(std::ranges::count_if(
                                  text, [](char c) { return c >= 'A' && c <= 'Z'; }));
  return size;
}

// Maximum number of rows per label (streams: per device) for steps, device ranges, streams, host
// ranges and API calls.
using RowLimits = std::array<std::size_t, figure::kTrackKinds>;

// Hides tracks without slices and tracks beyond the limits. The timeline's order puts outer ranges
// before inner ones and busy streams before others.
std::vector<bool> hide_tracks(const figure::Timeline& timeline, const std::vector<bool>& has_slices,
                              const RowLimits& most) {
  std::map<std::pair<figure::TrackKind, std::string>, std::size_t> counts;
  std::vector<bool> hidden;
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    const figure::TimelineTrack& track = timeline.tracks[i];
    const bool stream = track.kind == figure::TrackKind::stream;
    const std::string of = stream ? std::to_string(track.device_id) : track.label;
    hidden.push_back(!has_slices[i] ||
                     ++counts[{track.kind, of}] > most[static_cast<std::size_t>(track.kind)]);
  }
  return hidden;
}

// The number of devices with streams; at least one.
std::size_t devices_of(const figure::Timeline& timeline) {
  std::set<std::int32_t> devices;
  for (const figure::TimelineTrack& track : timeline.tracks) {
    if (track.kind == figure::TrackKind::stream) devices.insert(track.device_id);
  }
  return std::max<std::size_t>(1, devices.size());
}

}  // namespace

TimelineFrame timeline_frame(const figure::Timeline& timeline, const figure::HiddenRows& hidden,
                             double width_px) {
  const bool narrow = width_px < kNarrowTimeline_px;
  const double top = std::ceil(figure::kTimeAxis_lines * figure::page_text_size("0").height);
  const double left = narrow ? 1 : kLabels_px;
  figure::TimelineRows laid_out =
      figure::lay_out_rows(timeline, left, width_px - 1, top + kRowsTop_px, narrow, hidden);
  const double bottom = laid_out.bottom + kRowsBottom_px;
  return {narrow,
          {0, 0, width_px, bottom},
          {left, top, width_px - 1, bottom},
          std::move(laid_out.rows)};
}

figure::Drawing draw_frame(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           TimelineFrame frame) {
  const figure::Rect& plot = frame.plot;
  const figure::TimeScale scale =
      figure::TimeScale(timeline.span, plot.left, plot.right).showing(window);
  for (figure::TimelineRow& row : frame.rows) figure::find_visible(row, timeline, scale, plot);
  figure::Drawing out(frame.area.right, frame.area.bottom);
  figure::SliceNames names(timeline, measure);
  figure::draw_timeline(out, {timeline, scale, frame.area, plot, frame.rows, frame.labels_above},
                        names);
  return out;
}

PageFigure timeline_figure(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           std::string description) {
  const figure::HiddenRows hidden{
      {}, hidden_in_figure(timeline, window), std::vector<bool>(timeline.lines.size(), true)};
  const auto draw = [&](double width_px) {
    return draw_frame(timeline, window, timeline_frame(timeline, hidden, width_px));
  };
  return {draw(kWideFigure_px), draw(kNarrowFigure_px), "timeline", std::move(description)};
}

figure::HiddenRows hidden_in_interactive(const figure::Timeline& timeline,
                                         const std::vector<bool>& has_slices) {
  const auto shared = [devices = devices_of(timeline)](std::size_t rows) {
    return std::max<std::size_t>(2, rows / devices);
  };
  constexpr std::size_t kMaxLines = 8;
  std::vector<bool> lines(std::min(kMaxLines, timeline.lines.size()));
  lines.resize(timeline.lines.size(), true);
  return {{}, hide_tracks(timeline, has_slices, {8, shared(8), shared(24), 8, 3}), lines};
}

std::vector<bool> hidden_in_figure(const figure::Timeline& timeline,
                                   const figure::TimeSpan& window) {
  const figure::TimeScale scale(window, 0, 1);
  std::vector<bool> has_slices;
  bool any_stream = false;
  for (const figure::TimelineTrack& track : timeline.tracks) {
    has_slices.push_back(!figure::visible_blocks(track.slices, scale, {0, 0, 1, 1}).empty());
    any_stream = any_stream || track.kind == figure::TrackKind::stream;
  }
  const std::size_t streams = std::max<std::size_t>(1, 12 / devices_of(timeline));
  return hide_tracks(timeline, has_slices, {8, 5, streams, any_stream ? 0U : 5U, 0});
}

std::string class_swatch(analysis::OperationClass slice_class) {
  constexpr double kHeight_px = 14;
  const figure::SliceStyle style = figure::slice_style(slice_class);
  std::string html =
      "<svg class=\"swatch\" viewBox=\"0 0 22 14\" aria-hidden=\"true\"><path "
      "class=\"slice c\" style=\"" +
      color_style(figure::class_ink(style.color_class)) + "\" d=\"M0 0h22v14h-22z\"/>";
  for (const double line : style.lines) {
    char path[64];
    std::snprintf(path, sizeof path, "M0 %.1fh22", line * kHeight_px);
    html += std::string("<path class=\"slice-line\" d=\"") + path + "\"/>";
  }
  return html + "</svg>";
}

}  // namespace mansard::reports
