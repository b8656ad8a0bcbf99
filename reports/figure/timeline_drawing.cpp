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

constexpr double kHeadingText_px = 22;

// Boxes that do not overlap, grouped by style in the drawing, so that painters and files can share
// the style.
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
  if (low == high) return low;
  const std::size_t unit = low.find(' ');
  const bool one_unit = unit != std::string::npos && high.ends_with(low.substr(unit));
  return (one_unit ? low.substr(0, unit) : low) + " to " + high;
}

class TimelineDrawer {
 public:
  TimelineDrawer(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                 const BlockFilter& passes)
      : out_(out),
        shown_(shown),
        names_(names),
        passes_(passes),
        line_px_(names.measure()("0").height) {}

  void draw() {
    const TimeAxis axis =
        time_axis(shown_.scale, shown_.timeline.zero_ns, kTickGap_lines * line_px_);
    const Rect& plot = shown_.plot;
    for (const TimeTick& tick : axis.ticks) {
      if (!tick.label.empty()) vertical(tick, plot.top, plot.bottom, grid_);
    }
    const double top = shown_.pinned.empty() ? plot.top : shown_.pinned_bottom;
    draw_rows(shown_.rows, top, plot.bottom);
    if (!shown_.pinned.empty()) {
      draw_rows(shown_.pinned, plot.top, top);
      out_.rect(snapped({shown_.area.left, top - 1, shown_.area.right, top}), axis_);
    }
    draw_axis(axis);
  }

 private:
  struct Look {
    SliceLook inks;
    StyleId fill;
    StyleId faded;
    StyleId merged;
    StyleId name;
    StyleId faded_name;
  };
  struct Name {
    Rect box;
    std::uint32_t key;
    StyleId style;
    Link link;
  };

  void draw_rows(std::span<const TimelineRow> rows, double top, double bottom) {
    boxes_ = {};
    lines_.clear();
    box_names_.clear();
    out_.clip(snapped({shown_.area.left, top, shown_.area.right, bottom}));
    for (const TimelineRow& row : rows) draw_label(row);
    for (const TimelineRow& row : rows) add_row(row);
    boxes_.draw(out_);
    for (const Rect& line : lines_) out_.rect(line, background_);
    for (const Name& name : box_names_) draw_name(name);
    for (const TimelineRow& row : rows) {
      if (row.kind == RowKind::line) draw_values(row);
    }
    out_.unclip();
  }

  StyleId fill(const Ink& ink) { return out_.style(filled(ink)); }

  const Look& look_of(TrackKind kind, std::uint16_t of_class) {
    auto& of_kind = looks_[static_cast<std::size_t>(kind)];
    if (of_kind.empty()) of_kind.resize(shown_.timeline.classes.size());
    std::optional<Look>& look = of_kind[of_class];
    if (!look) {
      const SliceLook inks = slice_look(kind, shown_.timeline.classes[of_class]);
      look = {inks,
              fill(inks.fill),
              fill(inks.faded),
              fill(inks.merged.value_or(inks.fill)),
              inks.name ? fill(*inks.name) : nothing_,
              inks.faded_name ? fill(*inks.faded_name) : nothing_};
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

  // Labels avoid the base, which is left of the axis or, without room there, at its start.
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
    const RowLabelPlace place = row_label_place(shown_.area, shown_.plot, shown_.labels_above);
    for (const RowLabel& label : row_labels(row, shown_.timeline, shown_.labels_above)) {
      text(fit_text(label.text, place.room_px, names_.measure()), place.anchor, place.x, label.y,
           label.faint ? faint_ : text_, row_link(row));
    }
  }

  void draw_heading(const TimelineRow& row) {
    const Link link = row_link(row);
    out_.rect(snapped(row.box), ground_, link);
    // Points down if the group is expanded.
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
    const bool on_ground = track == nullptr || has_ground(track->kind);
    out_.rect(snapped(row.box), on_ground ? ground_ : nothing_, row_link(row));
    if (track == nullptr) return;
    for (const TimelineBlock& block : row.blocks) add_block(row, *track, block);
  }

  void add_block(const TimelineRow& row, const TimelineTrack& track, const TimelineBlock& block) {
    const Look& look = look_of(track.kind, block.of_class);
    const bool passes = !passes_ || passes_(row.index, block);
    const Link link = slice_link(row.index, block.first);
    double top = row.box.top;
    if (look.inks.rises) {
      // The area represents the busy time, even below a width of one pixel.
      const double length_ns =
          std::max(difference_ns(block.end_ns, block.start_ns), shown_.scale.ns_per_px());
      const double share = std::min(1.0, static_cast<double>(block.busy_ns) / length_ns);
      top = row.box.bottom - std::max(kLeastHeight_px, share * row.box.height());
    }
    const Rect box = box_of(block, top, row.box.bottom);
    const bool narrow = block.count > 1 || box.width() < kSeparated_px;
    if (narrow && look.inks.merged) return boxes_.add(look.merged, box, link);
    boxes_.add(passes ? look.fill : look.faded, box, link);
    if (passes) {
      for (const double line : look.inks.lines) {
        const double y = row.box.top + line * row.box.height() - kSliceLine_px / 2;
        if (y >= top) lines_.push_back(snapped({box.left, y, box.right, y + kSliceLine_px}));
      }
    }
    const bool named = passes ? look.inks.name.has_value() : look.inks.faded_name.has_value();
    if (!named || block.count > 1 || box.width() < kNamed_px || row.box.height() < line_px_) return;
    box_names_.push_back({{box.left, row.box.top, box.right, row.box.bottom},
                          track.slices.key(block.first),
                          passes ? look.name : look.faded_name,
                          link});
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
    const auto y_of = [&](double value) { return value_y(row.box, range, value); };
    // Vertical within each column, then connected from its last value.
    std::vector<Point> way;
    for (const LineColumn& column : row.columns) {
      if (column.samples > 1) {
        way.push_back({column.x_px, y_of(column.range.low)});
        way.push_back({column.x_px, y_of(column.range.high)});
      }
      way.push_back({column.x_px, y_of(column.last)});
    }
    // Clamps neighbors outside of the window, which may exceed the coordinate range of painters.
    std::vector<Point> seen;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const std::optional<Segment> part = clip({way[i], way[i + 1]}, row.box);
      if (!part) continue;
      if (seen.empty()) seen.push_back(part->a);
      seen.push_back(part->b);
    }
    out_.polyline(seen, out_.style(stroked(surface_ink(&Surface::text), kValueLine_px)),
                  row_link(row));
  }

  Drawing& out_;
  const ShownTimeline& shown_;
  SliceNames& names_;
  const BlockFilter& passes_;
  double line_px_;                                                   // height of a line of text
  std::array<std::vector<std::optional<Look>>, kTrackKinds> looks_;  // by track kind and class
  BoxesByStyle boxes_;
  std::vector<Rect> lines_;  // lines across boxes
  std::vector<Name> box_names_;
  StyleId nothing_ = out_.style({});
  StyleId background_ = fill(surface_ink(&Surface::background));
  StyleId ground_ = fill(surface_ink(&Surface::roof));
  StyleId grid_ = fill(surface_ink(&Surface::grid));
  StyleId axis_ = fill(surface_ink(&Surface::axis));
  StyleId text_ = fill(surface_ink(&Surface::text));
  StyleId faint_ = fill(surface_ink(&Surface::faint_text));
};

}  // namespace

void draw_timeline(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                   const BlockFilter& passes) {
  TimelineDrawer(out, shown, names, passes).draw();
}

RowLabelPlace row_label_place(const Rect& area, const Rect& plot, bool labels_above) {
  const double right = labels_above ? area.right : plot.left - kLabelMargin_px;
  return {labels_above ? TextAnchor::start : TextAnchor::end, labels_above ? plot.left : right,
          right - area.left - kLabelMargin_px / 2};
}

std::vector<RowLabel> row_labels(const TimelineRow& row, const Timeline& timeline,
                                 bool labels_above) {
  if (row.label.empty()) return {};
  const std::string name = one_line(row.label);
  const Rect& box = row.box;
  const bool is_line = row.kind == RowKind::line;
  const std::string range = is_line ? range_text(timeline.lines[row.index]) : std::string();
  if (labels_above) {
    return {{is_line ? name + ": " + range : name, box.top - kRowLabel_px / 2}};
  }
  if (!is_line) return {{name, middle_y(box)}};
  return {{name, box.top + box.height() / 4}, {range, box.bottom - box.height() / 4, true}};
}

double value_y(const Rect& row, const ValueRange& range, double value) {
  const double part = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
  return row.bottom - kValueMargin_px - part * (row.height() - 2 * kValueMargin_px);
}

Rect snapped(const Rect& rect) {
  const double left = std::round(rect.left);
  const double top = std::round(rect.top);
  return {left, top, std::max(left + 1, std::round(rect.right)),
          std::max(top + 1, std::round(rect.bottom))};
}

}  // namespace mansard::figure
