// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/views/plane_scene.h"
#include "reports/figure/palette.h"

class QPainter;

namespace mansard::gui {

// Lines at decades, and at digits where there is room.
void paint_grid(QPainter& painter, const PlaneScene& scene, const figure::Surface& colours);

// Frame, tick labels and titles, outside the plot.
void paint_axes(QPainter& painter, const PlaneScene& scene, const figure::Surface& colours);

}  // namespace mansard::gui
