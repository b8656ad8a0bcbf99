// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_marks_painter.h"

#include <QPainter>
#include <algorithm>

#include "gui/views/box_batch.h"
#include "gui/views/painting.h"

namespace mansard::gui {
namespace {

constexpr int kStrip_px = 4;  // above boxes that are too narrow for a frame
constexpr int kFramed_px = 6;

void add_row(BoxBatch& boxes, const TimelineScene& scene, RowSlices& slices, const QColor& colour,
             int width_px) {
  for (const SeenRow& row : scene.rows()) {
    if (row.kind != figure::GroupedRow::Kind::track) continue;
    const figure::Rect& plot = scene.plot();
    for (const RowMark& mark : slices.marks(row.index, scene.scale())) {
      // What reaches out of the plot may do so by more than a painter can count.
      const double left = std::clamp(scene.scale().map(mark.start_ns), plot.left, plot.right);
      const double right =
          std::clamp(scene.scale().map(mark.end_ns), std::min(left + 1, plot.right), plot.right);
      QRect box = crisp_box(left, row.box.top, right, row.box.bottom);
      if (mark.count == 1 && box.width() >= kFramed_px) {
        boxes.add_frame(colour, box.adjusted(0, 0, -1, 0), width_px);
      } else {
        box.setHeight(std::min(box.height(), kStrip_px * width_px / 2));
        boxes.add(colour, box);
      }
    }
  }
}

// Where a slice is; none while its row is closed, hidden or scrolled away.
std::optional<figure::Rect> place_of(const TimelineScene& scene,
                                     const std::optional<figure::SliceRef>& slice) {
  if (!slice) return std::nullopt;
  const SeenRow* row = scene.row_of(slice->track);
  if (row == nullptr) return std::nullopt;
  const figure::SliceTrack& slices = scene.run()->timeline.tracks[slice->track].slices;
  return figure::Rect{scene.scale().map(slices.start_ns(slice->slice)), row->box.top,
                      scene.scale().map(slices.end_ns(slice->slice)), row->box.bottom};
}

void frame_launch(QPainter& painter, const TimelineScene& scene, const TimelineLook& look,
                  const figure::Rect& box) {
  const figure::Rect& plot = scene.plot();
  if (box.right < plot.left || box.left > plot.right) return;
  const QRect frame = crisp_box(std::max(box.left, plot.left - 4) - 2, box.top - 1,
                                std::min(box.right, plot.right + 4) + 2, box.bottom + 1);
  BoxBatch boxes;
  boxes.add_frame(look.accent, frame, 3);
  boxes.add_frame(look.background, frame.adjusted(3, 3, -3, -3), 1);
  boxes.draw(painter);
}

// From the begin of the call to the begin of the launch.
void draw_arrow(QPainter& painter, const figure::Rect& plot, const TimelineLook& look,
                const figure::Rect& call, const figure::Rect& launch) {
  const bool down = call.top < launch.top;
  const figure::Point from{call.left, down ? call.bottom : call.top};
  const QPointF to(launch.left, down ? launch.top : launch.bottom);
  constexpr double kHead_px = 6;
  const double back = down ? -kHead_px : kHead_px;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(look.text, 1.5));
  const figure::Segment across_call{{from.x, down ? call.top : call.bottom}, from};
  for (const figure::Segment& line :
       {across_call, figure::Segment{from, {to.x(), to.y() + back / 2}}}) {
    // An end may be further away than a painter can count.
    const auto seen = figure::clip(line, plot);
    if (seen) painter.drawLine(to_qpoint(seen->a), to_qpoint(seen->b));
  }
  if (to.x() < plot.left || to.x() > plot.right) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(look.text);
  painter.drawPolygon(QPolygonF() << to << to + QPointF(-kHead_px / 2, back)
                                  << to + QPointF(kHead_px / 2, back));
}

}  // namespace

void paint_timeline_marks(QPainter& painter, const TimelineScene& scene, const TimelineLook& look,
                          const TimelineMarks& marks) {
  BoxBatch boxes;
  if (marks.hovered != nullptr) add_row(boxes, scene, *marks.hovered, look.text, 1);
  if (marks.selected != nullptr) add_row(boxes, scene, *marks.selected, look.accent, 2);
  boxes.draw(painter);
  const std::optional<figure::Rect> launch = place_of(scene, marks.launch);
  if (!launch) return;
  frame_launch(painter, scene, look, *launch);
  const std::optional<figure::Rect> call = place_of(scene, marks.call);
  if (call) draw_arrow(painter, scene.plot(), look, *call, *launch);
}

}  // namespace mansard::gui
