// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/models/row_facts.h"
#include "reports/figure/axis_styles.h"
#include "reports/figure/time_ticks.h"
#include "reports/figure/timeline_drawing.h"

namespace mansard::gui {
namespace {

using figure::Rect;
using figure::StyleId;
using figure::Surface;

// Draws a frame of four thin boxes inside `box`, whose edges are at whole pixels.
void add_frame(figure::Drawing& out, const Rect& box, double width_px, StyleId style) {
  const double w = std::min({width_px, box.width(), box.height()});
  out.rect({box.left, box.top, box.right, box.top + w}, style);
  out.rect({box.left, box.bottom - w, box.right, box.bottom}, style);
  out.rect({box.left, box.top + w, box.left + w, box.bottom - w}, style);
  out.rect({box.right - w, box.top + w, box.right, box.bottom - w}, style);
}

void add_row(figure::Drawing& out, const TimelineScene& scene,
             const std::vector<figure::TimelineRow>& rows, RowSlices& slices, double width_px,
             StyleId style) {
  constexpr double kStrip_px = 2;   // strip height for boxes too narrow for a frame
  constexpr double kFramed_px = 6;  // narrower boxes get a strip instead of a frame
  const Rect& plot = scene.plot();
  for (const figure::TimelineRow& row : rows) {
    if (row.kind != figure::RowKind::track) continue;
    for (const RowMark& mark : slices.marks(row.index, scene.scale())) {
      // Clip first: coordinates far outside the plot may overflow in the painter.
      const double left = std::clamp(scene.scale().map(mark.start_ns), plot.left, plot.right);
      const double right =
          std::clamp(scene.scale().map(mark.end_ns), std::min(left + 1, plot.right), plot.right);
      Rect box = figure::snapped({left, row.box.top, right, row.box.bottom});
      if (mark.count == 1 && box.width() >= kFramed_px) {
        box.right -= 1;  // as for the box of the slice
        add_frame(out, box, width_px, style);
      } else {
        box.bottom = std::min(box.bottom, box.top + kStrip_px * width_px);
        out.rect(box, style);
      }
    }
  }
}

// The box of a slice; empty if its row is collapsed, hidden or scrolled away.
std::optional<Rect> place_of(const TimelineScene& scene,
                             const std::optional<figure::SliceRef>& slice) {
  if (!slice) return std::nullopt;
  const figure::TimelineRow* row = scene.row_of(slice->track);
  if (row == nullptr) return std::nullopt;
  const figure::SliceTrack& slices = scene.run()->timeline.tracks[slice->track].slices;
  return Rect{scene.scale().map(slices.start_ns(slice->slice)), row->box.top,
              scene.scale().map(slices.end_ns(slice->slice)), row->box.bottom};
}

void frame_launch(figure::Drawing& out, const Rect& plot, const Rect& box) {
  if (box.right < plot.left || box.left > plot.right) return;
  const Rect frame = figure::snapped({std::max(box.left, plot.left - 4) - 2, box.top - 1,
                                      std::min(box.right, plot.right + 4) + 2, box.bottom + 1});
  add_frame(out, frame, 3, surface_fill(out, &Surface::accent));
  const Rect inner{frame.left + 3, frame.top + 3, frame.right - 3, frame.bottom - 3};
  if (inner.width() > 0) add_frame(out, inner, 1, surface_fill(out, &Surface::background));
}

// Draws a line from the start of the API call to the start of the launch.
void add_arrow(figure::Drawing& out, const Rect& plot, const Rect& call, const Rect& launch) {
  const bool down = call.top < launch.top;
  const figure::Point from{call.left, down ? call.bottom : call.top};
  const figure::Point to{launch.left, down ? launch.top : launch.bottom};
  constexpr double kHead_px = 6;
  const double back = down ? -kHead_px : kHead_px;
  const StyleId line = out.style(figure::stroked(figure::surface_ink(&Surface::text), 1.5F));
  for (const figure::Segment& segment :
       {figure::Segment{{from.x, down ? call.top : call.bottom}, from},
        figure::Segment{from, {to.x, to.y + back / 2}}}) {
    // Clip first: an end may overflow in the painter.
    const auto seen = figure::clip(segment, plot);
    if (seen) out.line(seen->a, seen->b, line);
  }
  if (to.x < plot.left || to.x > plot.right) return;
  const std::array<figure::Point, 3> head{
      {to, {to.x - kHead_px / 2, to.y + back}, {to.x + kHead_px / 2, to.y + back}}};
  out.polygon(head, surface_fill(out, &Surface::text));
}

void draw_marks(figure::Drawing& out, const TimelineScene& scene, const TimelineMarks& marks) {
  const Rect& plot = scene.plot();
  const Rect pinned{plot.left, plot.top, plot.right, scene.pinned_bottom()};
  const Rect scrolled{plot.left, scene.pinned_bottom(), plot.right, plot.bottom};
  const std::optional<Rect> launch = place_of(scene, marks.launch());
  const auto add_rows = [&](const std::vector<figure::TimelineRow>& rows, const Rect& part) {
    out.clip(figure::snapped(part));
    if (marks.hovered() != nullptr) {
      add_row(out, scene, rows, *marks.hovered(), 1, surface_fill(out, &Surface::text));
    }
    if (marks.selected() != nullptr) {
      add_row(out, scene, rows, *marks.selected(), 2, surface_fill(out, &Surface::accent));
    }
    const bool is_here = launch && (launch->bottom <= pinned.bottom) == (&part == &pinned);
    if (is_here) frame_launch(out, plot, *launch);
    out.unclip();
  };
  if (!scene.pinned_rows().empty()) add_rows(scene.pinned_rows(), pinned);
  add_rows(scene.rows(), scrolled);
  const std::optional<Rect> call = launch ? place_of(scene, marks.call()) : std::nullopt;
  if (!call) return;
  out.clip(figure::snapped(plot));
  add_arrow(out, plot, *call, *launch);
  out.unclip();
}

// With as many digits as the pixel resolution supports.
std::string readable_time(std::int64_t time_ns, double ns_per_px) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, ns_per_px))));
  const auto step = static_cast<std::int64_t>(power);
  return figure::exact_time(time_ns / step * step);
}

// Draws the text on its own background, as near to `x` as fits into `plot`.
void add_plate(figure::Drawing& out, const Rect& plot, std::string text, double x, double middle_y,
               const figure::MeasureText& measure) {
  constexpr double kPadding_px = 5;
  const double half_px = measure(text).width / 2 + kPadding_px;
  x = std::max(plot.left + half_px, std::min(x, plot.right - half_px));
  const figure::PlacedText placed =
      figure::place_text(std::move(text), figure::TextAnchor::middle, x, middle_y, measure);
  figure::Style plate = figure::filled(figure::surface_ink(&Surface::background));
  plate.fill_opacity = 0.85F;
  plate.round = true;
  out.rect({x - half_px, placed.box.top, x + half_px, placed.box.bottom}, out.style(plate));
  out.text(placed, surface_fill(out, &Surface::text));
}

void add_vertical(figure::Drawing& out, const Rect& plot, double x, StyleId style) {
  out.rect(figure::snapped({std::round(x), plot.top, std::round(x) + 1, plot.bottom}), style);
}

}  // namespace

void TimelinePainter::draw(const TimelineScene& scene, const TimelineMarks* marks,
                           const QFont& font) {
  const bool other_font = texts_.set_font(font);
  if (other_font || run_ != scene.run()) {
    run_ = scene.run();
    names_.emplace(run_->timeline, measure());
  }
  const Rect& area = scene.area();
  drawing_.clear(area.right, area.bottom);
  figure::BlockFilter passes;
  if (marks != nullptr && !marks->filter().passes_all()) {
    passes = [filter = &marks->filter()](std::size_t track, const figure::TimelineBlock& block) {
      return filter->passes(track, block);
    };
  }
  figure::draw_timeline(drawing_,
                        {.timeline = run_->timeline,
                         .scale = scene.scale(),
                         .area = area,
                         .plot = scene.plot(),
                         .rows = scene.rows(),
                         .pinned = scene.pinned_rows(),
                         .pinned_bottom = scene.pinned_bottom()},
                        *names_, passes);
  marks_.clear(area.right, area.bottom);
  if (marks != nullptr) draw_marks(marks_, scene, *marks);
}

void TimelinePainter::paint(QPainter& painter, figure::Theme theme) {
  gui::paint(painter, drawing_, theme, &texts_);
  gui::paint(painter, marks_, theme, &texts_);
}

void TimelinePainter::paint_cursor(QPainter& painter, const TimelineScene& scene, double x_px,
                                   figure::Theme theme) {
  const Rect& plot = scene.plot();
  figure::Drawing out(scene.area().right, scene.area().bottom);
  add_vertical(out, plot, x_px, surface_fill(out, &Surface::axis));
  const figure::TimeScale& scale = scene.scale();
  const std::int64_t since_zero_ns = scale.invert(x_px) - scene.run()->timeline.zero_ns;
  const double y = plot.top - 5 - texts_.size("0").height / 2;
  add_plate(out, plot, readable_time(since_zero_ns, scale.ns_per_px()), x_px, y, measure());
  gui::paint(painter, out, theme, &texts_);
}

void TimelinePainter::paint_marked(QPainter& painter, const TimelineScene& scene, double from_px,
                                   double to_px, figure::Theme theme) {
  const Rect& plot = scene.plot();
  from_px = std::clamp(from_px, plot.left, plot.right);
  to_px = std::clamp(to_px, plot.left, plot.right);
  const auto [left, right] = std::minmax(from_px, to_px);
  figure::Drawing out(scene.area().right, scene.area().bottom);
  out.rect(figure::snapped({left, plot.top, right, plot.bottom}),
           surface_fill(out, &Surface::accent, 0.15F));
  const StyleId edge = surface_fill(out, &Surface::accent);
  for (const double x : {left, right}) add_vertical(out, plot, x, edge);
  const std::string length =
      duration_text(scene.scale().invert(right) - scene.scale().invert(left)).toStdString();
  add_plate(out, plot, length, (left + right) / 2, plot.top + texts_.size("0").height, measure());
  gui::paint(painter, out, theme, &texts_);
}

}  // namespace mansard::gui
