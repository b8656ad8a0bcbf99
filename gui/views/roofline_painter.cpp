// SPDX-License-Identifier: Apache-2.0
#include "gui/views/roofline_painter.h"

#include <QPainter>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/axes_painter.h"
#include "gui/views/mark_shapes.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard {
namespace {

class RooflinePainter {
 public:
  RooflinePainter(QPainter& painter, const RooflineScene& scene, Theme theme,
                  const RooflineHighlight& highlight)
      : p_(painter), s_(scene), theme_(theme), colours_(surface(theme)), highlight_(highlight) {}

  void paint() {
    p_.setRenderHint(QPainter::Antialiasing);
    p_.fillRect(QRectF(QPointF(0, 0), s_.size()), to_qcolor(colours_.background));
    p_.save();
    p_.setClipRect(to_qrect(s_.plot()));
    fill_below_roof();
    p_.setRenderHint(QPainter::Antialiasing, false);
    paint_grid(p_, s_, colours_);
    p_.setRenderHint(QPainter::Antialiasing);
    // Equal ceilings lie on each other: the one that matters comes last.
    for (const bool bounding : {false, true}) {
      for (const PlaneLine& line : s_.lines()) {
        if (bounds_selection(line) == bounding) ceiling(line);
      }
    }
    for (const Mark& m : s_.filtered_out()) ghost(m);
    const SelectionOverlay* selection = s_.selection();
    if (selection != nullptr && selection->gap) gap_to_limit(*selection->gap);
    all_marks();
    // The selected one may lie below others.
    for (const Mark& m : s_.marks()) {
      if (highlight_.selected == s_.figure().points[m.point].row) mark(m);
    }
    if (selection != nullptr) tiers_of(*selection);
    ring(highlight_.hovered, colours_.text, 1.5);
    ring(highlight_.selected, colours_.accent, 2.5);
    p_.restore();
    ceiling_names();
    mark_names();
    if (selection != nullptr) selection_names(*selection);
    paint_axes(p_, s_, colours_);
    legend();
  }

 private:
  const KernelRow* selected_row() const {
    if (!highlight_.selected || s_.run() == nullptr) return nullptr;
    return *highlight_.selected < s_.run()->rows.size() ? &s_.run()->rows[*highlight_.selected]
                                                        : nullptr;
  }

  bool bounds_selection(const PlaneLine& line) const {
    const KernelRow* row = selected_row();
    return row != nullptr && row->limit.ceiling == line.id;
  }

  std::optional<Segment> visible(const PlaneLine& l) const {
    return clip({{s_.x().map(l.x0), s_.y().map(l.y0)}, {s_.x().map(l.x1), s_.y().map(l.y1)}},
                s_.plot());
  }

  // Nothing can lie above the steepest slope and the highest ceiling.
  void fill_below_roof() {
    const PlaneLine* slope = nullptr;
    const PlaneLine* top = nullptr;
    for (const PlaneLine& line : s_.lines()) {
      const PlaneLine*& best = line.level ? slope : top;
      if (best == nullptr || line.value > best->value) best = &line;
    }
    if (slope == nullptr || top == nullptr) return;
    const Rect& plot = s_.plot();
    const Point start{s_.x().map(slope->x0), s_.y().map(slope->y0)};
    const Point ridge{s_.x().map(slope->x1), s_.y().map(slope->y1)};
    const double right = s_.x().map(top->x1);
    QPolygonF area;
    area << to_qpoint(start) << to_qpoint(ridge) << QPointF(right, ridge.y)
         << QPointF(right, std::max(plot.bottom, ridge.y))
         << QPointF(start.x, std::max(plot.bottom, start.y));
    p_.setPen(Qt::NoPen);
    p_.setBrush(to_qcolor(colours_.roof));
    p_.drawPolygon(area);
  }

  QColor ceiling_colour(const PlaneLine& line) const {
    if (bounds_selection(line)) return to_qcolor(colours_.accent);
    return to_qcolor(line.level ? tier_colour(*line.level, theme_) : colours_.compute);
  }

  // The ceilings that matter to the points shown: the tier of the axis, and precisions in use.
  bool prominent(const PlaneLine& line) const {
    if (bounds_selection(line)) return true;
    if (line.level) return *line.level == s_.level();
    return !line.precision || s_.uses(*line.precision);
  }

  void ceiling(const PlaneLine& line) {
    const std::optional<Segment> seen = visible(line);
    if (!seen) return;
    // A link to another device bounds only what crosses it.
    const bool link = line.level == MemoryLevel::nvlink || line.level == MemoryLevel::pcie;
    p_.setPen(QPen(ceiling_colour(line), prominent(line) ? 2.2 : 1.1,
                   link ? Qt::DashLine : Qt::SolidLine));
    p_.drawLine(to_qpoint(seen->a), to_qpoint(seen->b));
  }

  void ceiling_names() {
    for (const LineLabel& label : s_.line_labels()) {
      const PlaneLine& line = s_.lines()[label.line];
      const QColor colour = ceiling_colour(line);
      if (line.label_place == LabelPlace::margin) {
        p_.setPen(QPen(to_qcolor(colours_.axis), 1));
        const double elbow = label.leader.a.x + 5;
        p_.drawPolyline(QPolygonF() << to_qpoint(label.leader.a) << QPointF(elbow, label.leader.a.y)
                                    << QPointF(label.leader.b.x - 2, label.leader.b.y)
                                    << to_qpoint(label.leader.b));
      }
      draw_label(p_, label.box, to_qstring(line.label), colour, to_qcolor(colours_.background));
    }
  }

  MarkStyle style_of(const Mark& m) const {
    return mark_style(s_.figure().points[m.point].operation_class, theme_);
  }

  void mark(const Mark& m) {
    draw_mark(p_, style_of(m), to_qpoint(m.centre), m.radius, to_qcolor(colours_.background));
  }

  void all_marks() {
    constexpr std::size_t kManyMarks = 2000;
    if (s_.marks().size() < kManyMarks) {
      for (const Mark& m : s_.marks()) mark(m);
      return;
    }
    MarkSprites sprites(to_qcolor(colours_.background));
    for (const Mark& m : s_.marks()) {
      sprites.draw(p_, style_of(m), to_qpoint(m.centre), m.radius);
    }
  }

  void ghost(const Mark& m) {
    p_.setPen(QPen(to_qcolor(colours_.axis), 1));
    p_.setBrush(Qt::NoBrush);
    p_.drawPath(mark_path(style_of(m).shape, to_qpoint(m.centre), std::min(m.radius, 5.0)));
  }

  void mark_names() {
    for (const MarkLabel& label : s_.mark_labels()) {
      draw_plate(p_, label.box, s_.mark_name(s_.marks()[label.mark]), to_qcolor(colours_.text),
                 to_qcolor(colours_.roof));
    }
  }

  void ring(std::optional<std::size_t> row, Rgb colour, double width) {
    if (!row) return;
    const PlanePoint* point = s_.point_of(*row, s_.level());
    if (point == nullptr) return;
    const double radius = mark_radius(point->share) + 4;
    p_.setBrush(Qt::NoBrush);
    p_.setPen(QPen(to_qcolor(colour), width));
    p_.drawEllipse(to_qpoint(s_.position(*point)), radius, radius);
  }

  void tiers_of(const SelectionOverlay& overlay) {
    if (overlay.tiers.empty()) return;
    p_.setPen(QPen(to_qcolor(colours_.accent), 1, Qt::DotLine));
    p_.drawLine(to_qpoint(overlay.tiers.front().at), to_qpoint(overlay.tiers.back().at));
    for (const TierMark& tier : overlay.tiers) {
      if (tier.level == s_.level()) continue;
      p_.setPen(QPen(to_qcolor(colours_.background), 1));
      p_.setBrush(to_qcolor(tier_colour(tier.level, theme_)));
      p_.drawPath(mark_path(MarkShape::diamond, to_qpoint(tier.at), 4));
    }
  }

  void gap_to_limit(const Segment& gap) {
    p_.setPen(QPen(to_qcolor(colours_.accent), 1.4, Qt::DashLine));
    p_.drawLine(to_qpoint(gap.a), to_qpoint(gap.b));
    p_.setPen(QPen(to_qcolor(colours_.accent), 2));
    p_.drawLine(QPointF(gap.b.x - 7, gap.b.y), QPointF(gap.b.x + 7, gap.b.y));
  }

  void selection_names(const SelectionOverlay& overlay) {
    const QColor ground = to_qcolor(colours_.background);
    draw_plate(p_, overlay.name_box, overlay.name, to_qcolor(colours_.text), ground);
    draw_plate(p_, overlay.caption_box, overlay.caption, to_qcolor(colours_.accent), ground);
    for (const TierMark& tier : overlay.tiers) {
      if (!tier.label) continue;
      draw_plate(p_, *tier.label, to_qstring(info(tier.level).label),
                 to_qcolor(tier_colour(tier.level, theme_)), ground);
    }
  }

  void legend() {
    const QFontMetricsF metrics(p_.font());
    for (const LegendItem& entry : s_.legend()) {
      const MarkStyle style = mark_style(entry.operation_class, theme_);
      const QRectF area = to_qrect(entry.area);
      p_.setPen(Qt::NoPen);
      p_.setBrush(to_qcolor(style.colour));
      p_.drawPath(mark_path(style.shape, QPointF(area.left() + 8, area.center().y()), 5.5));
      p_.setPen(to_qcolor(colours_.text));
      p_.drawText(area.adjusted(20, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                  to_qstring(entry.operation_class));
    }
  }

  QPainter& p_;
  const RooflineScene& s_;
  Theme theme_;
  const Surface& colours_;
  const RooflineHighlight& highlight_;
};

}  // namespace

void paint_roofline(QPainter& painter, const RooflineScene& scene, Theme theme,
                    const RooflineHighlight& highlight) {
  RooflinePainter(painter, scene, theme, highlight).paint();
}

}  // namespace mansard
