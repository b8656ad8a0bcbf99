// SPDX-License-Identifier: Apache-2.0
// From the palette of the application to that of the figures.
#pragma once

#include <QColor>
#include <QPalette>

#include "reports/figure/palette.h"

class QApplication;

namespace mansard::gui {

QColor to_qcolor(figure::Rgb color);

// Dark where the window's text is lighter than its ground.
figure::Theme theme_of(const QPalette& palette);

// Overrides the desktop's choice.
void apply_theme(QApplication& application, figure::Theme theme);

}  // namespace mansard::gui
