// SPDX-License-Identifier: Apache-2.0
// What the marks and colours of a plane mean.
#pragma once

#include "gui/views/plane_scene.h"
#include "reports/figure/palette.h"

class QPainter;

namespace mansard::gui {

// Classes, and what is whose where runs are compared.
void paint_plane_legend(QPainter& painter, const PlaneScene& scene, figure::Theme theme);

// Launches a pixel, from one to the most, below the plot.
void paint_density_key(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                       std::uint32_t highest);

}  // namespace mansard::gui
