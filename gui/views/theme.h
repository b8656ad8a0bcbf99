// SPDX-License-Identifier: Apache-2.0
// From the palette of the application to that of the figures.
#pragma once

#include <QColor>
#include <QPalette>

#include "reports/figure/palette.h"

class QApplication;

namespace mansard::gui {

QColor to_qcolor(figure::Rgb colour);

// On the way from `a` (0) to `b` (1).
QColor mixed(const QColor& a, const QColor& b, double share_of_b);

// Dark where the window's text is lighter than its ground.
figure::Theme theme_of(const QPalette& palette);

// Overrides the desktop's choice.
void apply_theme(QApplication& application, figure::Theme theme);

}  // namespace mansard::gui
