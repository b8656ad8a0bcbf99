// SPDX-License-Identifier: Apache-2.0
// Small helpers between figure geometry and QPainter.
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include "reports/figure/geometry.h"

class QPainter;

namespace mansard::gui {

inline QPointF to_qpoint(figure::Point p) { return {p.x, p.y}; }
inline figure::Point to_point(QPointF p) { return {p.x(), p.y()}; }
inline QRectF to_qrect(const figure::Rect& r) { return {r.left, r.top, r.width(), r.height()}; }
QString to_qstring(std::string_view text);
// Escapes text for menus, buttons and tabs, where an ampersand marks a mnemonic.
QString without_mnemonic(QString text);

// Centered in the box and rotated with it; an outline in `halo` keeps it readable over lines.
void draw_label(QPainter& painter, const figure::OrientedBox& box, const QString& text,
                const QColor& color, const QColor& halo);

}  // namespace mansard::gui
