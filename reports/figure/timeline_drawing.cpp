// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "reports/figure/slice_style.h"
#include "reports/figure/time_ticks.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kTickGap_lines = 5.6;  // between labels of the axis, by the height of a line
constexpr double kTick_px = 4;
constexpr double kLabelMargin_px = 10;  // between labels and the plot
constexpr double kLeastHeight_px = 2;   // of a bar
constexpr double kSeparated_px = 4;     // wider boxes leave a pixel to the next one
constexpr double kNamed_px = 26;        // narrower boxes have no name
constexpr double kNamePadding_px = 5;
constexpr double kFaded = 0.28;
constexpr double kHeadingText_px = 22;

// Boxes that do not overlap, in one stretch of the drawing per style: painters and files share what
// equal styles have in common.
class BoxesByStyle {
 public:
  void add(StyleId style, const Rect& box, Link link) {
    if (style >= lists_.size()) lists_.resize(style + 1);
    lists_[style].push_back({box, link});
  }
  void draw(Drawing& out) const {
    for (std::size_t style = 0; style < lists_.size(); ++style) {
      for (const Box& box : lists_[style])
        out.rect(box.rect, static_cast<StyleId>(style), box.link);
    }
  }

 private:
  struct Box {
    Rect rect;
    Link link;
  };
  std::vector<std::vector<Box>> lists_;
};

Link row_link(const TimelineRow& row) {
  const auto index = static_cast<std::uint32_t>(row.index);
  switch (row.kind) {
    case RowKind::heading:
      return {Link::To::heading, index};
    case RowKind::track:
      return {Link::To::track, index};
    case RowKind::line:
      return {Link::To::value_line, index};
  }
  return {};
}

Rect box_of(const TimelineBlock& block, double top, double bottom) {
  Rect box = snapped({block.left_px, top, block.right_px, bottom});
  if (box.width() >= kSeparated_px) box.right -= 1;
  return box;
}

double middle_y(const Rect& box) { return (box.top + box.bottom) / 2; }

std::string range_text(const LineTrack& line) {
  const ValueRange range = line.range(0, line.size());
  const std::string low = format_si(range.low, line.unit());
  const std::string high = format_si(range.high, line.unit());
  return low == high ? low : low + " to " + high;
}

class TimelineDrawer {
 public:
  TimelineDrawer(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                 const BlockFilter& passes)
      : out_(out),
        shown_(shown),
        names_(names),
        passes_(passes),
        line_px_(names.measure()("0").height),
        looks_(shown.timeline.classes.size()) {}

  void draw() {
    const TimeAxis axis =
        time_axis(shown_.scale, shown_.timeline.zero_ns, kTickGap_lines * line_px_);
    const Rect& plot = shown_.plot;
    for (const TimeTick& tick : axis.ticks) {
      if (!tick.label.empty()) vertical(tick, plot.top, plot.bottom, grid_);
    }
    out_.clip(snapped({shown_.area.left, plot.top, shown_.area.right, plot.bottom}));
    for (const TimelineRow& row : shown_.rows) draw_label(row);
    for (const TimelineRow& row : shown_.rows) add_row(row);
    boxes_.draw(out_);
    for (const Rect& line : lines_) out_.rect(line, background_);
    for (const Name& name : box_names_) draw_name(name);
    for (const TimelineRow& row : shown_.rows) {
      if (row.kind == RowKind::line) draw_values(row);
    }
    out_.unclip();
    draw_axis(axis);
  }

 private:
  struct ClassLook {
    StyleId fill;
    StyleId faded;
    StyleId name;
    std::span<const double> lines;
    bool waits;  // a call that waits for the device
  };
  struct Name {
    Rect box;
    std::uint32_t key;
    StyleId style;
    Link link;
  };

  StyleId fill(const Ink& ink) { return out_.style(filled(ink)); }

  const ClassLook& look_of(std::uint16_t of_class) {
    std::optional<ClassLook>& look = looks_[of_class];
    if (!look) {
      const analysis::OperationClass slice_class = shown_.timeline.classes[of_class];
      const SliceStyle style = slice_style(slice_class);
      const Ink ink = class_ink(style.colour_class);
      look = {fill(ink), fill(mixed(surface_ink(&Surface::background), ink, kFaded)),
              fill(readable_on(ink)), style.lines, slice_class == kWaitClass};
    }
    return *look;
  }

  void vertical(const TimeTick& tick, double top, double bottom, StyleId style) {
    const double x = std::round(tick.pixel);
    out_.rect(snapped({x, top, x + 1, bottom}), style);
  }

  void text(std::string text, TextAnchor anchor, double x, double y, StyleId style,
            Link link = {}) {
    if (!text.empty()) {
      out_.text(place_text(std::move(text), anchor, x, y, names_.measure()), style, link);
    }
  }

  // Labels stay clear of the base that they count from, which stands to the left of the axis or,
  // where nothing is to the left, at its start.
  void draw_axis(const TimeAxis& axis) {
    const Rect& plot = shown_.plot;
    const Rect& area = shown_.area;
    const double y = plot.top - kTick_px - 1 - line_px_ / 2;
    double free_px = area.left;  // the first pixel that a label may take
    if (!axis.base.empty()) {
      PlacedText base =
          shown_.labels_above
              ? place_text(axis.base + " +", TextAnchor::start, area.left, y, names_.measure())
              : place_text(axis.base + " +", TextAnchor::end, plot.left - kLabelMargin_px, y,
                           names_.measure());
      free_px = base.box.right + kLabelMargin_px;
      out_.text(base, faint_);
    }
    out_.rect(snapped({area.left, plot.top - 1, area.right, plot.top}), grid_);
    for (const TimeTick& tick : axis.ticks) {
      const bool named = !tick.label.empty();
      vertical(tick, plot.top - (named ? kTick_px : kTick_px / 2), plot.top, faint_);
      if (!named) continue;
      const double half_px = names_.measure()(tick.label).width / 2;
      double x = std::round(tick.pixel);
      if (axis.base.empty()) x = std::max(x, free_px + half_px);
      if (x - half_px < free_px || x + half_px > plot.right) continue;
      text(tick.label, TextAnchor::middle, x, y, faint_);
    }
  }

  void draw_label(const TimelineRow& row) {
    if (row.kind == RowKind::heading) return draw_heading(row);
    if (row.label.empty()) return;
    const Rect& area = shown_.area;
    const double right = shown_.labels_above ? area.right : shown_.plot.left - kLabelMargin_px;
    const auto write = [&](const std::string& label, double y, StyleId style) {
      std::string fitted =
          fit_text(one_line(label), right - area.left - kLabelMargin_px / 2, names_.measure());
      if (shown_.labels_above) {
        text(std::move(fitted), TextAnchor::start, row.box.left, y, style, row_link(row));
      } else {
        text(std::move(fitted), TextAnchor::end, right, y, style, row_link(row));
      }
    };
    if (shown_.labels_above) {
      write(row.label, row.box.top - kRowLabel_px / 2, text_);
    } else if (row.kind == RowKind::line) {
      write(row.label, row.box.top + row.box.height() / 4, text_);
      write(range_text(shown_.timeline.lines[row.index]), row.box.bottom - row.box.height() / 4,
            faint_);
    } else {
      write(row.label, middle_y(row.box), text_);
    }
  }

  void draw_heading(const TimelineRow& row) {
    const Link link = row_link(row);
    out_.rect(snapped(row.box), ground_, link);
    // Points down while its rows are below.
    const Point center{row.box.left + kHeadingText_px / 2, middle_y(row.box)};
    constexpr double r = 4;
    std::array<Point, 3> arrow{{{-r, -r / 2}, {r, -r / 2}, {0, r}}};
    if (row.closed) arrow = {{{-r / 2, -r}, {r, 0}, {-r / 2, r}}};
    for (Point& p : arrow) p = {center.x + p.x, center.y + p.y};
    out_.polygon(arrow, faint_, link);
    text(one_line(row.label), TextAnchor::start, row.box.left + kHeadingText_px, center.y, text_,
         link);
  }

  void add_row(const TimelineRow& row) {
    if (row.kind == RowKind::heading) return;
    const TimelineTrack* track =
        row.kind == RowKind::track ? &shown_.timeline.tracks[row.index] : nullptr;
    const bool has_ground = track == nullptr || track->kind == TrackKind::stream;
    out_.rect(snapped(row.box), has_ground ? ground_ : nothing_, row_link(row));
    if (track == nullptr) return;
    for (const TimelineBlock& block : row.blocks) {
      const bool passes = !passes_ || passes_(row.index, block);
      switch (track->kind) {
        case TrackKind::stream:
          add_work(row, *track, block, passes);
          break;
        case TrackKind::calls:
          boxes_.add(look_of(block.of_class).waits ? waiting_ : merged_,
                     box_of(block, row.box.top, row.box.bottom),
                     slice_link(row.index, block.first));
          break;
        default:
          add_span(row, *track, block, passes);
      }
    }
  }

  void add_work(const TimelineRow& row, const TimelineTrack& track, const TimelineBlock& block,
                bool passes) {
    const ClassLook& look = look_of(block.of_class);
    // Its area is its time, of what is narrower than a pixel as well.
    const double length_ns =
        std::max(difference_ns(block.end_ns, block.start_ns), shown_.scale.ns_per_px());
    const double share = std::min(1.0, static_cast<double>(block.busy_ns) / length_ns);
    const double top = row.box.bottom - std::max(kLeastHeight_px, share * row.box.height());
    const Rect box = box_of(block, top, row.box.bottom);
    boxes_.add(passes ? look.fill : look.faded, box, slice_link(row.index, block.first));
    if (!passes) return;
    for (const double line : look.lines) {
      const double y = row.box.top + line * row.box.height() - kSliceLine_px / 2;
      if (y >= top) lines_.push_back(snapped({box.left, y, box.right, y + kSliceLine_px}));
    }
    add_name(row, track, block, box, look.name);
  }

  // Steps and ranges: their names matter, not their classes.
  void add_span(const TimelineRow& row, const TimelineTrack& track, const TimelineBlock& block,
                bool passes) {
    const Rect box = box_of(block, row.box.top, row.box.bottom);
    const Link link = slice_link(row.index, block.first);
    if (block.count > 1 || box.width() < kSeparated_px) return boxes_.add(merged_, box, link);
    const bool typical = shown_.timeline.classes[block.of_class] != kOtherStepClass;
    boxes_.add(passes && typical ? grid_ : ground_, box, link);
    add_name(row, track, block, box, passes && typical ? text_ : faint_);
  }

  void add_name(const TimelineRow& row, const TimelineTrack& track, const TimelineBlock& block,
                const Rect& box, StyleId style) {
    if (block.count > 1 || box.width() < kNamed_px || row.box.height() < line_px_) return;
    box_names_.push_back({{box.left, row.box.top, box.right, row.box.bottom},
                          track.slices.key(block.first),
                          style,
                          slice_link(row.index, block.first)});
  }

  void draw_name(const Name& name) {
    const SliceNames::Name& shown = names_.fitted(name.key, name.box.width() - 2 * kNamePadding_px);
    if (shown.text.empty()) return;
    const double left = name.box.left + kNamePadding_px;
    const double y = middle_y(name.box);
    out_.text(shown.text, {left, y - line_px_ / 2, left + shown.width_px, y + line_px_ / 2},
              TextAnchor::start, name.style, name.link);
  }

  void draw_values(const TimelineRow& row) {
    const LineTrack& line = shown_.timeline.lines[row.index];
    const ValueRange range = line.range(0, line.size());
    const auto y_of = [&](double value) {
      const double part =
          range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
      return row.box.bottom - 1.5 - part * (row.box.height() - 3);
    };
    // Up and down within each column, and on from where it ends.
    std::vector<Point> way;
    for (const LineColumn& column : row.columns) {
      if (column.samples > 1) {
        way.push_back({column.x_px, y_of(column.range.low)});
        way.push_back({column.x_px, y_of(column.range.high)});
      }
      way.push_back({column.x_px, y_of(column.last)});
    }
    // The neighbors of the window may be farther away than a painter can count.
    std::vector<Point> seen;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const std::optional<Segment> part = clip({way[i], way[i + 1]}, row.box);
      if (!part) continue;
      if (seen.empty()) seen.push_back(part->a);
      seen.push_back(part->b);
    }
    out_.polyline(seen, out_.style(stroked(surface_ink(&Surface::text), 1.2F)), row_link(row));
  }

  Drawing& out_;
  const ShownTimeline& shown_;
  SliceNames& names_;
  const BlockFilter& passes_;
  double line_px_;  // height of a line of text
  std::vector<std::optional<ClassLook>> looks_;
  BoxesByStyle boxes_;
  std::vector<Rect> lines_;  // across boxes
  std::vector<Name> box_names_;
  StyleId nothing_ = out_.style({});
  StyleId background_ = fill(surface_ink(&Surface::background));
  StyleId ground_ = fill(surface_ink(&Surface::roof));
  StyleId grid_ = fill(surface_ink(&Surface::grid));
  StyleId text_ = fill(surface_ink(&Surface::text));
  StyleId faint_ = fill(surface_ink(&Surface::faint_text));
  StyleId merged_ =
      fill(mixed(surface_ink(&Surface::background), surface_ink(&Surface::axis), 0.6));
  StyleId waiting_ =
      fill(mixed(surface_ink(&Surface::background), surface_ink(&Surface::accent), 0.7));
};

}  // namespace

void draw_timeline(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                   const BlockFilter& passes) {
  TimelineDrawer(out, shown, names, passes).draw();
}

Rect snapped(const Rect& rect) {
  const double left = std::round(rect.left);
  const double top = std::round(rect.top);
  return {left, top, std::max(left + 1, std::round(rect.right)),
          std::max(top + 1, std::round(rect.bottom))};
}

}  // namespace mansard::figure
