// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_marks_painter.h"

#include <QPainter>
#include <algorithm>

#include "gui/views/mark_shapes.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

// From so many on they are copied from sprites: nobody follows half a pixel among them.
constexpr std::size_t kManyMarks = 1000;

class MarksPainter {
 public:
  MarksPainter(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
               const PlaneHighlight& highlight)
      : p_(painter),
        s_(scene),
        theme_(theme),
        colours_(surface(theme)),
        highlight_(highlight),
        sprites_(to_qcolor(colours_.background)),
        many_(scene.marks().size() + scene.filtered_out().size() + scene.baseline_marks().size() >
              kManyMarks) {
    for (const std::string& name : s_.mark_classes())
      styles_.push_back(figure::mark_style(name, theme_));
  }

  void paint(const DensityPicture& density) {
    if (density.image != nullptr) {
      p_.drawImage(QPointF(s_.plot().left, s_.plot().top), *density.image);
    }
    const figure::MarkStyle plain{colours_.axis, figure::MarkShape::circle};
    for (const figure::Mark& m : s_.filtered_out()) {
      draw({plain.colour, style_of(m).shape}, m.centre, std::min(m.radius, 5.0), MarkFill::hollow);
    }
    const SelectionOverlay* selection = s_.selection();
    if (selection != nullptr && selection->gap) gap_to_limit(*selection->gap);
    lines_to_ideal();
    for (const figure::Mark& m : s_.baseline_marks()) baseline_mark(m);
    for (const PlaneArrow& a : s_.arrows()) draw_arrow(p_, a.arrow, arrow_colour(a.change));
    for (const figure::Mark& m : s_.marks()) mark(m);
    // The selected one may lie below others.
    for (const figure::Mark& m : s_.marks()) {
      if (highlight_.selected == s_.figure().points[m.point].row) mark(m);
    }
    ideals();
    if (selection != nullptr) tiers_of(*selection);
    ring(highlight_.hovered, colours_.text, 1.5);
    ring(highlight_.selected, colours_.accent, 2.5);
    selected_launch();
  }

 private:
  figure::MarkStyle style_of(const figure::Mark& m) const { return styles_[m.group]; }

  void draw(figure::MarkStyle style, figure::Point centre, double radius, MarkFill fill) {
    if (many_) {
      sprites_.draw(p_, style, to_qpoint(centre), radius, fill);
    } else {
      draw_mark(p_, style, to_qpoint(centre), radius, to_qcolor(colours_.background), fill);
    }
  }

  // Open where the figure has an ideal one beside it, or where launches are to be seen below.
  void mark(const figure::Mark& m) {
    const bool open = s_.shows_launches() || s_.figure().points[m.point].ideal;
    draw(style_of(m), m.centre, m.radius, open ? MarkFill::tinted : MarkFill::solid);
  }

  void lines_to_ideal() {
    QColor colour = to_qcolor(colours_.axis);
    p_.setPen(QPen(colour, 1));
    if (many_) p_.setRenderHint(QPainter::Antialiasing, false);
    for (const figure::Mark& m : s_.marks()) {
      const auto& ideal = s_.figure().points[m.point].ideal;
      if (!ideal) continue;
      const auto seen = figure::clip({m.centre, s_.position(*ideal)}, s_.plot());
      if (seen) p_.drawLine(to_qpoint(seen->a), to_qpoint(seen->b));
    }
    p_.setRenderHint(QPainter::Antialiasing);
  }

  void ideals() {
    for (const figure::Mark& m : s_.marks()) {
      const auto& ideal = s_.figure().points[m.point].ideal;
      if (!ideal) continue;
      const figure::Point at = s_.position(*ideal);
      if (s_.plot().contains(at)) draw(style_of(m), at, figure::kIdealRadius_px, MarkFill::solid);
    }
  }

  void baseline_mark(const figure::Mark& m) {
    const figure::PlanePoint& point = s_.baseline()->figure.points[m.point];
    draw(figure::mark_style(point.operation_class, theme_), m.centre, m.radius, MarkFill::hollow);
  }

  QColor arrow_colour(Change change) const {
    switch (change) {
      case Change::slower:
        return to_qcolor(colours_.loss);
      case Change::faster:
        return to_qcolor(colours_.gain);
      case Change::none:
        break;
    }
    return to_qcolor(colours_.faint_text);
  }

  void ring(std::optional<std::size_t> row, figure::Rgb colour, double width) {
    if (!row) return;
    const figure::PlanePoint* point = s_.point_of(*row, s_.level());
    if (point == nullptr) return;
    const double radius = s_.radius_of(*row) + 4;
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
      draw_mark(p_, {figure::tier_colour(tier.level, theme_), figure::MarkShape::diamond},
                to_qpoint(tier.at), 4, to_qcolor(colours_.background));
    }
  }

  void gap_to_limit(const figure::Segment& gap) {
    p_.setPen(QPen(to_qcolor(colours_.accent), 1.4, Qt::DashLine));
    p_.drawLine(to_qpoint(gap.a), to_qpoint(gap.b));
    p_.setPen(QPen(to_qcolor(colours_.accent), 2));
    p_.drawLine(QPointF(gap.b.x - 7, gap.b.y), QPointF(gap.b.x + 7, gap.b.y));
  }

  void selected_launch() {
    const auto at = s_.selected_launch();
    if (!at) return;
    draw_mark(p_, {colours_.accent, figure::MarkShape::circle}, to_qpoint(*at), 3.5,
              to_qcolor(colours_.background));
  }

  QPainter& p_;
  const PlaneScene& s_;
  figure::Theme theme_;
  const figure::Surface& colours_;
  const PlaneHighlight& highlight_;
  std::vector<figure::MarkStyle> styles_;  // by Mark::group
  MarkSprites sprites_;
  bool many_;
};

}  // namespace

void paint_plane_marks(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                       const PlaneHighlight& highlight, const DensityPicture& density) {
  MarksPainter(painter, scene, theme, highlight).paint(density);
}

void draw_arrow(QPainter& painter, const figure::Arrow& arrow, const QColor& colour) {
  painter.setPen(QPen(colour, 1.4));
  painter.drawLine(to_qpoint(arrow.shaft.a), to_qpoint(arrow.shaft.b));
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  const QPointF head[] = {to_qpoint(arrow.head[0]), to_qpoint(arrow.head[1]),
                          to_qpoint(arrow.head[2])};
  painter.drawPolygon(head, 3);
}

}  // namespace mansard::gui
