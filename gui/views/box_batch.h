// SPDX-License-Identifier: Apache-2.0
// Many boxes of few colours, drawn with one call a colour.
#pragma once

#include <QColor>
#include <QRect>
#include <vector>

class QPainter;

namespace mansard::gui {

class BoxBatch {
 public:
  // Boxes without an area are dropped.
  void add(const QColor& colour, const QRect& box);
  // Four thin boxes inside the edges of `box`.
  void add_frame(const QColor& colour, const QRect& box, int width_px);
  // By colour, in the order in which the colours came. Sharp edges; leaves the painter's brush.
  void draw(QPainter& painter) const;

 private:
  struct OfColour {
    QRgb colour;
    std::vector<QRect> boxes;
  };
  std::vector<OfColour> colours_;
  std::size_t last_ = 0;
};

// To whole pixels, one wide at least.
QRect crisp_box(double left, double top, double right, double bottom);

}  // namespace mansard::gui
