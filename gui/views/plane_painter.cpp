// SPDX-License-Identifier: Apache-2.0
// The plane itself: its ground, its lines and all words. Marks are drawn by plane_marks_painter.
#include "gui/views/plane_painter.h"

#include <QLocale>
#include <QObject>
#include <QPainter>
#include <algorithm>

#include "gui/views/axes_painter.h"
#include "gui/views/mark_shapes.h"
#include "gui/views/painting.h"
#include "gui/views/plane_legend_painter.h"
#include "gui/views/plane_marks_painter.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

class PlanePainter {
 public:
  PlanePainter(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
               const PlaneHighlight& highlight)
      : p_(painter), s_(scene), theme_(theme), colours_(surface(theme)), highlight_(highlight) {}

  void paint(const DensityPicture& density) {
    p_.setRenderHint(QPainter::Antialiasing);
    p_.fillRect(QRectF(QPointF(0, 0), s_.size()), to_qcolor(colours_.background));
    p_.save();
    p_.setClipRect(to_qrect(s_.plot()));
    if (s_.kind() == PlaneKind::roofline) fill_below_roof();
    for (const figure::PlaneRegion& region : s_.figure().regions) fill_region(region);
    p_.setRenderHint(QPainter::Antialiasing, false);
    paint_grid(p_, s_, colours_);
    p_.setRenderHint(QPainter::Antialiasing);
    // Equal ceilings lie on each other: the one that matters comes last.
    for (const bool bounding : {false, true}) {
      for (std::size_t i = 0; i < s_.lines().size(); ++i) {
        if (bounds_selection(i) == bounding) line(i);
      }
    }
    paint_plane_marks(p_, s_, theme_, highlight_, density);
    p_.restore();
    line_names();
    region_names();
    mark_names();
    if (s_.selection() != nullptr) selection_names(*s_.selection());
    paint_axes(p_, s_, colours_);
    paint_plane_legend(p_, s_, theme_);
    if (density.image != nullptr) paint_density_key(p_, s_, theme_, density.highest);
    if (density.awaited) await_launches();
    sentence();
  }

 private:
  bool bounds_selection(std::size_t line) const {
    if (!highlight_.selected || s_.run() == nullptr || s_.of_other_machine(line)) return false;
    const auto& rows = s_.run()->rows;
    return *highlight_.selected < rows.size() &&
           rows[*highlight_.selected].limit.ceiling == s_.lines()[line].id;
  }

  std::optional<figure::Segment> visible(const figure::PlaneLine& l) const {
    return figure::clip(
        {{s_.x().map(l.x0), s_.y().map(l.y0)}, {s_.x().map(l.x1), s_.y().map(l.y1)}}, s_.plot());
  }

  // Nothing can lie above the steepest slope and the highest ceiling, drawn or not.
  void fill_below_roof() {
    std::optional<figure::PlaneLine> slope;
    std::optional<figure::PlaneLine> top;
    for (const figure::PlaneLine& line : s_.figure().lines) {
      std::optional<figure::PlaneLine>& best = line.level ? slope : top;
      if (!best || line.value > best->value) best = line;
    }
    if (!slope || !top) return;
    slope = figure::extended(*slope, s_.x(), s_.y());
    top = figure::extended(*top, s_.x(), s_.y());
    const figure::Rect& plot = s_.plot();
    const figure::Point start{s_.x().map(slope->x0), s_.y().map(slope->y0)};
    const figure::Point ridge{s_.x().map(slope->x1), s_.y().map(slope->y1)};
    const double right = s_.x().map(top->x1);
    const double below = std::max({plot.bottom, ridge.y, start.y});
    QPolygonF area;
    for (const figure::Point p : figure::clip_polygon(
             {start, ridge, {right, ridge.y}, {right, below}, {start.x, below}}, plot)) {
      area << to_qpoint(p);
    }
    p_.setPen(Qt::NoPen);
    p_.setBrush(to_qcolor(colours_.roof));
    p_.drawPolygon(area);
  }

  // From the lower left corner of the plane, wherever that is.
  void fill_region(const figure::PlaneRegion& region) {
    if (!(region.x1 > 0) || !figure::holds_at(region.level, s_.level())) return;
    const figure::Rect& plot = s_.plot();
    const double right = std::min(s_.x().map(region.x1), plot.right);
    const double top = std::max(s_.y().map(region.y1), plot.top);
    if (right <= plot.left || top >= plot.bottom) return;
    QColor shade = to_qcolor(colours_.text);
    shade.setAlphaF(0.06F);
    p_.fillRect(QRectF(plot.left, top, right - plot.left, plot.bottom - top), shade);
  }

  QColor line_colour(std::size_t index) const {
    const figure::PlaneLine& line = s_.lines()[index];
    if (bounds_selection(index)) return to_qcolor(colours_.accent);
    if (line.kind == figure::LineKind::iso) return to_qcolor(colours_.axis);
    if (line.kind == figure::LineKind::ceiling && line.level) {
      return to_qcolor(figure::tier_colour(*line.level, theme_));
    }
    return to_qcolor(colours_.compute);
  }

  QPen line_pen(std::size_t index) const {
    const figure::PlaneLine& line = s_.lines()[index];
    const bool bold =
        line.kind == figure::LineKind::ceiling && (bounds_selection(index) || s_.prominent(line));
    QPen pen(line_colour(index), bold ? 2.2 : 1.1);
    if (line.kind == figure::LineKind::boundary) pen.setWidthF(1.5);
    if (line.kind == figure::LineKind::iso) {
      pen.setWidthF(1);
      pen.setStyle(Qt::DashLine);
    }
    // A link to another device bounds only what crosses it.
    if (line.kind == figure::LineKind::ceiling &&
        (line.level == MemoryLevel::nvlink || line.level == MemoryLevel::pcie)) {
      pen.setStyle(Qt::DotLine);
    }
    if (s_.of_other_machine(index)) {
      pen.setWidthF(1.5);
      pen.setDashPattern({8, 4});
    }
    return pen;
  }

  void line(std::size_t index) {
    const std::optional<figure::Segment> seen = visible(s_.lines()[index]);
    if (!seen) return;
    p_.setPen(line_pen(index));
    p_.drawLine(to_qpoint(seen->a), to_qpoint(seen->b));
  }

  void line_names() {
    for (const figure::LineLabel& label : s_.line_labels()) {
      const figure::PlaneLine& line = s_.lines()[label.line];
      if (line.label_place == figure::LabelPlace::margin) {
        p_.setPen(QPen(to_qcolor(colours_.axis), 1));
        const double elbow = label.leader.a.x + 5;
        p_.drawPolyline(QPolygonF() << to_qpoint(label.leader.a) << QPointF(elbow, label.leader.a.y)
                                    << QPointF(label.leader.b.x - 2, label.leader.b.y)
                                    << to_qpoint(label.leader.b));
      }
      const QColor colour = line.kind == figure::LineKind::iso ? to_qcolor(colours_.faint_text)
                                                               : line_colour(label.line);
      draw_label(p_, label.box, to_qstring(line.label), colour, to_qcolor(colours_.background));
    }
  }

  void region_names() {
    for (const figure::RegionLabel& label : s_.region_labels()) {
      draw_label(p_, label.box, to_qstring(s_.figure().regions[label.region].label),
                 to_qcolor(colours_.faint_text), to_qcolor(colours_.background));
    }
  }

  void mark_names() {
    for (const figure::MarkLabel& label : s_.mark_labels()) {
      draw_plate(p_, label.box, s_.mark_name(s_.marks()[label.mark]), to_qcolor(colours_.text),
                 to_qcolor(colours_.roof));
    }
  }

  void selection_names(const SelectionOverlay& overlay) {
    const QColor ground = to_qcolor(colours_.background);
    draw_plate(p_, overlay.name_box, overlay.name, to_qcolor(colours_.text), ground);
    draw_plate(p_, overlay.caption_box, overlay.caption, to_qcolor(colours_.accent), ground);
    for (const TierMark& tier : overlay.tiers) {
      if (!tier.label) continue;
      draw_plate(p_, *tier.label, to_qstring(info(tier.level).label),
                 to_qcolor(figure::tier_colour(tier.level, theme_)), ground);
    }
  }

  // In the middle of the lower edge, where marks are few.
  void await_launches() {
    const QString text =
        QObject::tr("Counting %1 launches ...")
            .arg(QLocale::c().toString(static_cast<qlonglong>(s_.shown().total_launches)));
    const QFontMetricsF metrics(p_.font());
    const figure::Rect& plot = s_.plot();
    const double line_px = metrics.height();
    draw_plate(p_,
               {{(plot.left + plot.right) / 2, plot.bottom - 1.5 * line_px},
                metrics.horizontalAdvance(text),
                line_px,
                0},
               text, to_qcolor(colours_.text), to_qcolor(colours_.roof));
  }

  void sentence() {
    const QString text = s_.sentence();
    if (text.isEmpty()) return;
    const figure::Rect& plot = s_.plot();
    // Beside the names of ceilings, which lie along them on the left and above.
    const bool alone = s_.lines().empty();
    const QRectF room = to_qrect(plot).adjusted((alone ? 0.1 : 0.45) * plot.width(),
                                                (alone ? 0 : 0.5) * plot.height(),
                                                (alone ? -0.1 : -0.05) * plot.width(), 0);
    constexpr int kFlags = Qt::AlignCenter | Qt::TextWordWrap;
    const QRectF area = QFontMetricsF(p_.font()).boundingRect(room, kFlags, text);
    QColor ground = to_qcolor(colours_.background);
    ground.setAlphaF(0.85F);
    p_.setPen(Qt::NoPen);
    p_.setBrush(ground);
    p_.drawRoundedRect(area.adjusted(-8, -4, 8, 4), 4, 4);
    p_.setPen(to_qcolor(colours_.text));
    p_.drawText(room, kFlags, text);
  }

  QPainter& p_;
  const PlaneScene& s_;
  figure::Theme theme_;
  const figure::Surface& colours_;
  const PlaneHighlight& highlight_;
};

}  // namespace

void paint_plane(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                 const PlaneHighlight& highlight, const DensityPicture& density) {
  PlanePainter(painter, scene, theme, highlight).paint(density);
}

}  // namespace mansard::gui
