// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_svg.h"

#include <algorithm>
#include <map>

#include "reports/figure/slice_style.h"
#include "reports/figure/time_ticks.h"
#include "reports/figure/timeline.h"
#include "reports/figure/timeline_layout.h"
#include "reports/web/page_theme.h"
#include "reports/web/svg.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

constexpr double kTickGap_px = 84;
constexpr double kCharacter_px = 6.6;  // mean advance of the page's 12 px sans serif, erring wide
constexpr double kWideCharacter_px = 7.6;  // of names in capitals, which must not leave their box
constexpr double kLabels_px = 124;         // beside the rows
constexpr double kAxis_px = 22;
constexpr double kNarrow_px = 560;
constexpr double kLeastHeight_px = 2;  // of a bar
constexpr std::size_t kMostRangeLanes = 5;
constexpr std::size_t kMostStreamRows = 12;  // of all devices, which share them

std::string box_path(double left, double top, double right, double bottom) {
  // A pixel of ground between wide neighbours keeps them apart.
  const double width = right - left >= 4 ? right - left - 1 : right - left;
  return 'M' + svg_number(left) + ' ' + svg_number(top) + 'h' + svg_number(width) + 'v' +
         svg_number(bottom - top) + 'h' + svg_number(-width) + 'z';
}

// Black or white, whichever can be read on it.
figure::Rgb readable_on(figure::Rgb colour) {
  constexpr figure::Rgb kBlack{0, 0, 0};
  constexpr figure::Rgb kWhite{255, 255, 255};
  return figure::contrast_ratio(colour, kWhite) >= figure::contrast_ratio(colour, kBlack) ? kWhite
                                                                                          : kBlack;
}

class Painter {
 public:
  Painter(Svg& svg, const figure::Timeline& timeline, const figure::TimeScale& scale,
          const figure::Rect& plot)
      : svg_(svg), timeline_(timeline), scale_(scale), plot_(plot) {}

  void draw_row(const figure::TimelineRow& row) {
    const figure::TimelineTrack& track = timeline_.tracks[row.track];
    const bool stream = track.kind == figure::TrackKind::stream;
    if (stream) {
      svg_.path(box_path(row.box.left, row.box.top, row.box.right + 1, row.box.bottom), "ground",
                "");
    }
    std::map<std::uint16_t, std::string> boxes;  // by class
    std::map<std::uint16_t, std::string> lines;  // likewise, across them
    std::string merged;
    labels_.clear();
    for (const figure::TimelineBlock& block : figure::visible_blocks(track.slices, scale_, plot_)) {
      // Its area is its time, of what is narrower than a pixel as well.
      const double length_ns =
          std::max(figure::difference_ns(block.end_ns, block.start_ns), scale_.ns_per_px());
      const double share = std::min(1.0, static_cast<double>(block.busy_ns) / length_ns);
      const double top = row.box.bottom - std::max(kLeastHeight_px, share * row.box.height());
      std::string& path = stream || block.count == 1 ? boxes[block.of_class] : merged;
      path += box_path(block.left_px, stream ? top : row.box.top, block.right_px, row.box.bottom);
      if (stream) lines[block.of_class] += lines_across(block, row.box, top);
      if (block.count == 1) add_label(track, block, row.box);
    }
    for (const auto& [of_class, path] : boxes) {
      const figure::SliceStyle style = figure::slice_style(timeline_.classes[of_class]);
      svg_.path(path, stream ? "slice c" : "slice span",
                stream ? colour_style(class_colour(style.colour_class)) : std::string());
    }
    for (const auto& [of_class, path] : lines) {
      if (!path.empty()) svg_.path(path, "slice-line", "");
    }
    if (!merged.empty()) svg_.path(merged, "slice merged", "");
    for (const Label& label : labels_) {
      svg_.text(label.at, "start", label.text, label.style.empty() ? "span-label" : "slice-label c",
                0, label.style);
    }
  }

 private:
  struct Label {
    figure::Point at;
    std::string text;
    std::string style;
  };

  std::string lines_across(const figure::TimelineBlock& block, const figure::Rect& row,
                           double top) const {
    std::string path;
    for (const double line : figure::slice_style(timeline_.classes[block.of_class]).lines) {
      const double y = row.top + line * row.height();
      if (y < top) continue;
      path += 'M' + svg_number(block.left_px) + ' ' + svg_number(y) + 'h' +
              svg_number(block.right_px - block.left_px);
    }
    return path;
  }

  // Whole, or so much of it that it can still be recognised.
  void add_label(const figure::TimelineTrack& track, const figure::TimelineBlock& block,
                 const figure::Rect& row) {
    constexpr double kPadding_px = 5;
    constexpr int kFewest = 12;
    const double room_px = block.right_px - block.left_px - 2 * kPadding_px;
    const figure::SliceName& name = timeline_.names[track.slices.key(block.first)];
    const std::string text = one_line(name.text);
    const int characters = static_cast<int>(room_px / kWideCharacter_px);
    if (characters < std::min(kFewest, display_width(text))) return;
    std::string style;
    if (track.kind == figure::TrackKind::stream) {
      const ThemedColour colour =
          class_colour(figure::slice_style(timeline_.classes[block.of_class]).colour_class);
      style = colour_style({readable_on(colour.light), readable_on(colour.dark)});
    }
    labels_.push_back({{block.left_px + kPadding_px, (row.top + row.bottom) / 2 + 4},
                       truncate_middle(text, characters),
                       std::move(style)});
  }

  Svg& svg_;
  const figure::Timeline& timeline_;
  const figure::TimeScale& scale_;
  const figure::Rect& plot_;
  std::vector<Label> labels_;
};

// As drawAxis() of timeline_draw.js: where the labels count from a base of their own, that stands
// to the left of the axis, or, of a narrow figure, on its first pixels.
void draw_axis(Svg& svg, const figure::TimeScale& scale, const figure::Rect& plot,
               std::int64_t zero_ns, bool narrow) {
  const figure::TimeAxis axis = figure::time_axis(scale, zero_ns, kTickGap_px);
  double free_px = 0;  // the first pixel that a label may take
  if (!axis.base.empty()) {
    const std::string base = axis.base + " +";
    if (narrow) free_px = kCharacter_px * display_width(base) + 10;
    svg.text({narrow ? 0 : plot.left - 10, plot.top - 9}, narrow ? "start" : "end", base, "tick");
  }
  for (const figure::TimeTick& tick : axis.ticks) {
    if (tick.label.empty()) continue;
    svg.line({tick.pixel, plot.top - 4}, {tick.pixel, plot.bottom}, "grid");
    const double half_px = kCharacter_px * display_width(tick.label) / 2;
    const bool at_edge = axis.base.empty() && tick.pixel - half_px < 0;
    if (tick.pixel + half_px > plot.right) continue;
    if (!at_edge && tick.pixel - half_px < free_px) continue;
    svg.text({tick.pixel, plot.top - 9}, at_edge ? "start" : "middle", tick.label, "tick");
  }
}

}  // namespace

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

std::string class_swatch(std::string_view slice_class) {
  constexpr double kWidth_px = 22;
  constexpr double kHeight_px = 14;
  const figure::SliceStyle style = figure::slice_style(slice_class);
  std::string html =
      "<svg class=\"swatch\" viewBox=\"0 0 22 14\" aria-hidden=\"true\"><path "
      "class=\"slice c\" style=\"" +
      colour_style(class_colour(style.colour_class)) + "\" d=\"M0 0h22v14h-22z\"/>";
  for (const double line : style.lines) {
    html += "<path class=\"slice-line\" d=\"M0 " + svg_number(line * kHeight_px) + 'h' +
            svg_number(kWidth_px) + "\"/>";
  }
  return html + "</svg>";
}

std::string timeline_svg(const figure::Timeline& timeline, const figure::TimeSpan& window,
                         double width, std::string_view css_class,
                         std::string_view escaped_description) {
  const bool narrow = width < kNarrow_px;
  const double left = narrow ? 1 : kLabels_px;
  const double right = width - 1;
  const figure::TimeScale scale(window, left, right);
  const std::vector<bool> drawn = tracks_in_figure(timeline, window);
  const figure::TimelineRows rows =
      figure::lay_out_rows(timeline, left, right, kAxis_px + (narrow ? 0 : 4), narrow,
                           [&](std::size_t track) { return drawn[track]; });
  const figure::Rect plot{left, kAxis_px, right, rows.bottom};

  Svg svg(width, rows.bottom + 4, "static " + std::string(css_class), escaped_description);
  draw_axis(svg, scale, plot, timeline.zero_ns, narrow);
  Painter painter(svg, timeline, scale, plot);
  for (const figure::TimelineRow& row : rows.rows) {
    if (row.first_of_label) {
      const std::string label = truncate_middle(one_line(timeline.tracks[row.track].label), 18);
      const figure::Point at =
          narrow ? figure::Point{left, row.box.top - 5}
                 : figure::Point{left - 10, (row.box.top + row.box.bottom) / 2 + 4};
      svg.text(at, narrow ? "start" : "end", label, "tick");
    }
    painter.draw_row(row);
  }
  return std::move(svg).finish();
}

}  // namespace mansard::reports
