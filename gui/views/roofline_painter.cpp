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
    for (const RoofLine& line : s_.figure().lines) ceiling(line);
    for (const Mark& m : s_.filtered_out()) ghost(m);
    if (const KernelRow* row = selected_row()) gap_to_limit(*row);
    for (const Mark& m : s_.marks()) mark(m);
    if (highlight_.selected) tiers_of(*highlight_.selected);
    ring(highlight_.hovered, colours_.text, 1.5);
    ring(highlight_.selected, colours_.accent, 2.5);
    p_.restore();
    ceiling_names();
    mark_names();
    if (!gap_text_.isEmpty()) {
      draw_label(p_, gap_box_, gap_text_, to_qcolor(colours_.accent), to_qcolor(colours_.roof));
    }
    paint_axes(p_, s_, colours_);
    legend();
  }

 private:
  const KernelRow* selected_row() const {
    if (!highlight_.selected || s_.run() == nullptr) return nullptr;
    return *highlight_.selected < s_.run()->rows.size() ? &s_.run()->rows[*highlight_.selected]
                                                        : nullptr;
  }

  bool bounds_selection(const RoofLine& line) const {
    const KernelRow* row = selected_row();
    return row != nullptr && row->limit.ceiling == line.id;
  }

  std::optional<Segment> visible(const RoofLine& l) const {
    return clip({{s_.x().map(l.x0), s_.y().map(l.y0)}, {s_.x().map(l.x1), s_.y().map(l.y1)}},
                s_.plot());
  }

  // Nothing can lie above the steepest slope and the highest ceiling.
  void fill_below_roof() {
    const RoofLine* slope = nullptr;
    const RoofLine* top = nullptr;
    for (const RoofLine& line : s_.figure().lines) {
      const RoofLine*& best = line.diagonal ? slope : top;
      if (best == nullptr || line.value > best->value) best = &line;
    }
    if (slope == nullptr || top == nullptr) return;
    const Rect& plot = s_.plot();
    // The slope goes on below the figure's own limits, to where one may have panned.
    const double left = std::min(s_.x().min(), slope->x1);
    QPolygonF area;
    area << QPointF(s_.x().map(left), s_.y().map(slope->value * left))
         << QPointF(s_.x().map(slope->x1), s_.y().map(slope->y1))
         << QPointF(std::max(plot.right, s_.x().map(slope->x1)), s_.y().map(top->value))
         << QPointF(std::max(plot.right, s_.x().map(slope->x1)), plot.bottom + 1)
         << QPointF(s_.x().map(left), plot.bottom + 1);
    p_.setPen(Qt::NoPen);
    p_.setBrush(to_qcolor(colours_.roof));
    p_.drawPolygon(area);
  }

  QColor ceiling_colour(const RoofLine& line) const {
    if (bounds_selection(line)) return to_qcolor(colours_.accent);
    return to_qcolor(line.diagonal ? tier_colour(*line.level, theme_) : colours_.compute);
  }

  // The ceilings that matter to the points shown: the tier of the axis, and precisions in use.
  bool prominent(const RoofLine& line) const {
    if (bounds_selection(line)) return true;
    return line.diagonal ? *line.level == s_.level() : s_.uses(*line.precision);
  }

  void ceiling(const RoofLine& line) {
    const std::optional<Segment> seen = visible(line);
    if (!seen) return;
    p_.setPen(QPen(ceiling_colour(line), prominent(line) ? 2.4 : 1.2));
    p_.drawLine(to_qpoint(seen->a), to_qpoint(seen->b));
  }

  void ceiling_names() {
    for (const CeilingLabel& label : s_.ceiling_labels()) {
      const RoofLine& line = s_.figure().lines[label.line];
      const QColor colour = ceiling_colour(line);
      if (!line.diagonal) {
        p_.setPen(QPen(to_qcolor(colours_.axis), 1));
        const double elbow = label.leader.a.x + 5;
        p_.drawPolyline(QPolygonF() << to_qpoint(label.leader.a) << QPointF(elbow, label.leader.a.y)
                                    << QPointF(label.leader.b.x - 2, label.leader.b.y)
                                    << to_qpoint(label.leader.b));
      }
      draw_label(p_, label.box, to_qstring(line.label), colour, to_qcolor(colours_.background));
    }
  }

  void mark(const Mark& m) {
    const FigurePoint& point = s_.figure().points[m.point];
    const MarkStyle style = mark_style(point.operation_class, theme_);
    p_.setPen(QPen(to_qcolor(colours_.background), 1.2));
    p_.setBrush(to_qcolor(style.colour));
    p_.drawPath(mark_path(style.shape, to_qpoint(m.centre), m.radius));
  }

  void ghost(const Mark& m) {
    const FigurePoint& point = s_.figure().points[m.point];
    const MarkStyle style = mark_style(point.operation_class, theme_);
    p_.setPen(QPen(to_qcolor(colours_.axis), 1));
    p_.setBrush(Qt::NoBrush);
    p_.drawPath(mark_path(style.shape, to_qpoint(m.centre), std::min(m.radius, 5.0)));
  }

  void mark_names() {
    for (const MarkLabel& label : s_.mark_labels()) {
      draw_label(p_, label.box, s_.mark_name(s_.marks()[label.mark]), to_qcolor(colours_.text),
                 to_qcolor(colours_.roof));
    }
  }

  void ring(std::optional<std::size_t> row, Rgb colour, double width) {
    if (!row) return;
    const FigurePoint* point = s_.point_of(*row, s_.level());
    if (point == nullptr) return;
    const double radius = mark_radius(point->share) + 4;
    p_.setBrush(Qt::NoBrush);
    p_.setPen(QPen(to_qcolor(colour), width));
    p_.drawEllipse(to_qpoint(s_.position(*point)), radius, radius);
  }

  // A row does the same FLOP/s at every tier: its points lie on one level line.
  void tiers_of(std::size_t row) {
    std::vector<const FigurePoint*> points;
    for (const MemoryLevel level : s_.levels()) {
      if (const FigurePoint* p = s_.point_of(row, level)) points.push_back(p);
    }
    if (points.size() < 2) return;
    std::ranges::sort(points, {}, &FigurePoint::x);
    p_.setPen(QPen(to_qcolor(colours_.accent), 1, Qt::DotLine));
    p_.drawLine(to_qpoint(s_.position(*points.front())), to_qpoint(s_.position(*points.back())));
    for (const FigurePoint* p : points) {
      if (p->level == s_.level()) continue;
      p_.setPen(QPen(to_qcolor(colours_.background), 1));
      p_.setBrush(to_qcolor(tier_colour(p->level, theme_)));
      const QPointF at = to_qpoint(s_.position(*p));
      p_.drawPath(mark_path(MarkShape::diamond, at, 5));
      const QFontMetricsF metrics(p_.font());
      const QString name = to_qstring(info(p->level).label);
      draw_label(p_, {{at.x(), at.y() + metrics.height()}, 0, 0, 0}, name,
                 to_qcolor(tier_colour(p->level, theme_)), to_qcolor(colours_.roof));
    }
  }

  // From the selected mark up to the rate at which its work would take the least possible time.
  void gap_to_limit(const KernelRow& row) {
    const FigurePoint* point = s_.point_of(*highlight_.selected, s_.level());
    const double flop = row.work.total_flop();
    if (point == nullptr || !(row.limit.time_s > 0) || !(flop > 0)) return;
    const Point from = s_.position(*point);
    const Point to = {from.x, s_.y().map(flop / row.limit.time_s)};
    p_.setPen(QPen(to_qcolor(colours_.accent), 1.4, Qt::DashLine));
    p_.drawLine(to_qpoint(from), to_qpoint(to));
    p_.setPen(QPen(to_qcolor(colours_.accent), 2));
    p_.drawLine(QPointF(to.x - 7, to.y), QPointF(to.x + 7, to.y));
    gap_text_ =
        QStringLiteral("%1 of %2").arg(percent_text(fraction_of_light(row)), bound_text(row));
    const QFontMetricsF metrics(p_.font());
    const double width = metrics.horizontalAdvance(gap_text_);
    const bool right = to.x + width + 12 < s_.plot().right;
    // Beside the line's upper end; where the line is short, its mark would cover the middle.
    gap_box_ = {{to.x + (right ? 1 : -1) * (width / 2 + 10), std::min(to.y, from.y - 30) + 14},
                width,
                metrics.height(),
                0};
  }

  void legend() {
    const QFontMetricsF metrics(p_.font());
    for (const LegendEntry& entry : s_.legend()) {
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
  OrientedBox gap_box_;
  QString gap_text_;
};

}  // namespace

void paint_roofline(QPainter& painter, const RooflineScene& scene, Theme theme,
                    const RooflineHighlight& highlight) {
  RooflinePainter(painter, scene, theme, highlight).paint();
}

}  // namespace mansard
