// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_painter.h"

#include <QPainter>
#include <algorithm>

#include "gui/views/box_batch.h"
#include "gui/views/painting.h"
#include "gui/views/timeline_frame_painter.h"
#include "gui/views/timeline_marks_painter.h"
#include "reports/figure/slice_style.h"

namespace mansard::gui {
namespace {

constexpr double kLeastHeight_px = 2;
constexpr double kNamePadding_px = 5;
constexpr double kNamed_px = 26;  // narrower boxes have no names

QRect box_of(const figure::TimelineBlock& block, double top, double bottom) {
  QRect box = crisp_box(block.left_px, top, block.right_px, bottom);
  // A pixel of ground keeps wide neighbours apart.
  if (box.width() >= 4) box.setWidth(box.width() - 1);
  return box;
}

class RowsPainter {
 public:
  RowsPainter(QPainter& painter, const TimelineScene& scene, const TimelineLook& look,
              const SliceFilter* filter, SliceNames& names)
      : p_(painter), scene_(scene), look_(look), filter_(filter), names_(names) {}

  void paint() {
    for (const SeenRow& row : scene_.rows()) add(row);
    grounds_.draw(p_);
    boxes_.draw(p_);
    lines_.draw(p_);
    for (const Name& name : labels_) {
      p_.setPen(name.colour);
      p_.drawStaticText(name.at, *name.text);
    }
    for (const SeenRow& row : scene_.rows()) {
      if (row.kind == figure::GroupedRow::Kind::line) sampled_line(row);
    }
  }

 private:
  struct Name {
    QPointF at;
    const QStaticText* text;
    QColor colour;
  };

  void add(const SeenRow& row) {
    if (row.kind == figure::GroupedRow::Kind::heading) return;
    const QRect ground = crisp_box(row.box.left, row.box.top, row.box.right, row.box.bottom);
    if (row.kind == figure::GroupedRow::Kind::line) return grounds_.add(look_.ground, ground);
    const figure::TimelineTrack& track = scene_.run()->timeline.tracks[row.index];
    if (track.kind == figure::TrackKind::stream) grounds_.add(look_.ground, ground);
    for (const figure::TimelineBlock& block : row.blocks) {
      const bool passes = filter_ == nullptr || filter_->passes(row.index, block);
      switch (track.kind) {
        case figure::TrackKind::stream:
          add_work(row, track, block, passes);
          break;
        case figure::TrackKind::calls:
          add_call(row, block);
          break;
        default:
          add_span(row, track, block, passes);
      }
    }
  }

  void add_work(const SeenRow& row, const figure::TimelineTrack& track,
                const figure::TimelineBlock& block, bool passes) {
    const ClassLook& look = look_.of_class(block.of_class);
    // Its area is its time, of what is narrower than a pixel as well.
    const double length_ns =
        std::max(figure::difference_ns(block.end_ns, block.start_ns), scene_.scale().ns_per_px());
    const double share = std::min(1.0, static_cast<double>(block.busy_ns) / length_ns);
    const double top = row.box.bottom - std::max(kLeastHeight_px, share * row.box.height());
    const QRect box = box_of(block, top, row.box.bottom);
    boxes_.add(passes ? look.fill : look.faded, box);
    if (!passes) return;
    for (const double line : look.lines) {
      const double y = row.box.top + line * row.box.height() - figure::kSliceLine_px / 2;
      if (y < top) continue;
      lines_.add(look_.background,
                 crisp_box(box.left(), y, box.right() + 1.0, y + figure::kSliceLine_px));
    }
    add_name(row, track, block, box, look.on);
  }

  void add_span(const SeenRow& row, const figure::TimelineTrack& track,
                const figure::TimelineBlock& block, bool passes) {
    const QRect box = box_of(block, row.box.top, row.box.bottom);
    if (block.count > 1 || box.width() < 4) return boxes_.add(look_.merged, box);
    const bool typical = scene_.run()->timeline.classes[block.of_class] != figure::kOtherStepClass;
    boxes_.add(passes && typical ? look_.span : look_.ground, box);
    add_name(row, track, block, box, passes && typical ? look_.text : look_.faint_text);
  }

  void add_call(const SeenRow& row, const figure::TimelineBlock& block) {
    const bool waits = look_.of_class(block.of_class).waits;
    boxes_.add(waits ? look_.waiting : look_.call, box_of(block, row.box.top, row.box.bottom));
  }

  void add_name(const SeenRow& row, const figure::TimelineTrack& track,
                const figure::TimelineBlock& block, const QRect& box, const QColor& colour) {
    if (block.count > 1 || box.width() < kNamed_px || row.box.height() < names_.height_px()) return;
    const QStaticText* text =
        names_.fitted(track.slices.key(block.first), box.width() - 2 * kNamePadding_px);
    if (text == nullptr) return;
    const double y = (row.box.top + row.box.bottom - names_.height_px()) / 2;
    labels_.push_back({{box.left() + kNamePadding_px, y}, text, colour});
  }

  void sampled_line(const SeenRow& row) {
    const figure::LineTrack& line = scene_.run()->timeline.lines[row.index];
    const figure::ValueRange range = line.range(0, line.size());
    const auto y_of = [&](double value) {
      const double part =
          range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
      return row.box.bottom - 1.5 - part * (row.box.height() - 3);
    };
    // Up and down within each column, and on from where it ends.
    std::vector<figure::Point> way;
    for (const figure::LineColumn& column : row.columns) {
      if (column.samples > 1) {
        way.push_back({column.x_px, y_of(column.range.low)});
        way.push_back({column.x_px, y_of(column.range.high)});
      }
      way.push_back({column.x_px, y_of(column.last)});
    }
    QPolygonF points;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      // The neighbours of the window may be further away than a painter can count.
      const auto seen = figure::clip({way[i], way[i + 1]}, row.box);
      if (!seen) continue;
      if (points.isEmpty()) points << to_qpoint(seen->a);
      points << to_qpoint(seen->b);
    }
    p_.setRenderHint(QPainter::Antialiasing);
    p_.setPen(QPen(look_.text, 1.2));
    p_.drawPolyline(points);
    p_.setRenderHint(QPainter::Antialiasing, false);
  }

  QPainter& p_;
  const TimelineScene& scene_;
  const TimelineLook& look_;
  const SliceFilter* filter_;
  SliceNames& names_;
  BoxBatch grounds_;
  BoxBatch boxes_;
  BoxBatch lines_;  // across boxes of one colour
  std::vector<Name> labels_;
};

}  // namespace

void paint_timeline(QPainter& painter, const TimelineScene& scene, figure::Theme theme,
                    const TimelineMarks& marks, SliceNames& names) {
  if (scene.empty()) return;
  const TimelineLook look(scene.run()->timeline, theme);
  painter.save();
  painter.setClipRect(to_qrect(scene.area()).toAlignedRect(), Qt::IntersectClip);
  painter.fillRect(to_qrect(scene.area()), look.background);
  paint_time_grid(painter, scene, look);
  painter.save();
  painter.setClipRect(to_qrect(scene.plot()).toAlignedRect(), Qt::IntersectClip);
  RowsPainter(painter, scene, look, marks.filter, names).paint();
  paint_timeline_marks(painter, scene, look, marks);
  painter.restore();
  paint_row_labels(painter, scene, look);
  paint_time_axis(painter, scene, look);
  painter.restore();
}

}  // namespace mansard::gui
