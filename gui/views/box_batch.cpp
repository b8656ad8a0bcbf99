// SPDX-License-Identifier: Apache-2.0
#include "gui/views/box_batch.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace mansard::gui {

void BoxBatch::add(const QColor& colour, const QRect& box) {
  if (box.isEmpty()) return;
  const QRgb value = colour.rgba();
  if (last_ >= colours_.size() || colours_[last_].colour != value) {
    const auto found = std::ranges::find(colours_, value, &OfColour::colour);
    last_ = static_cast<std::size_t>(found - colours_.begin());
    if (found == colours_.end()) colours_.push_back({value, {}});
  }
  colours_[last_].boxes.push_back(box);
}

void BoxBatch::add_frame(const QColor& colour, const QRect& box, int width_px) {
  const int w = std::min({width_px, box.width(), box.height()});
  add(colour, {box.left(), box.top(), box.width(), w});
  add(colour, {box.left(), box.bottom() - w + 1, box.width(), w});
  add(colour, {box.left(), box.top() + w, w, box.height() - 2 * w});
  add(colour, {box.right() - w + 1, box.top() + w, w, box.height() - 2 * w});
}

void BoxBatch::draw(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(Qt::NoPen);
  for (const OfColour& list : colours_) {
    painter.setBrush(QColor::fromRgba(list.colour));
    painter.drawRects(list.boxes.data(), static_cast<int>(list.boxes.size()));
  }
}

QRect crisp_box(double left, double top, double right, double bottom) {
  const auto whole = [](double pixel) { return static_cast<int>(std::lround(pixel)); };
  const int x = whole(left);
  const int y = whole(top);
  return {x, y, std::max(1, whole(right) - x), std::max(1, whole(bottom) - y)};
}

}  // namespace mansard::gui
