// SPDX-License-Identifier: Apache-2.0
// Draws what lies in a plane: launches, kernels, those of the baseline, and what is selected.
#pragma once

#include "gui/views/plane_painter.h"

class QColor;

namespace mansard::gui {

void paint_plane_marks(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                       const PlaneHighlight& highlight, const DensityPicture& density);

void draw_arrow(QPainter& painter, const figure::Arrow& arrow, const QColor& colour);

}  // namespace mansard::gui
