// SPDX-License-Identifier: Apache-2.0
// Maps the application's palette to the theme of the figures.
#pragma once

#include <QColor>
#include <QPalette>

#include "reports/figure/palette.h"

class QApplication;

namespace mansard::gui {

QColor to_qcolor(figure::Rgb color);

// Dark if the window's text is lighter than its background.
figure::Theme theme_of(const QPalette& palette);

// Overrides the desktop's theme.
void apply_theme(QApplication& application, figure::Theme theme);
// Undoes apply_theme().
void follow_desktop(QApplication& application);

}  // namespace mansard::gui
