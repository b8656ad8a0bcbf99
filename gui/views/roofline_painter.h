// SPDX-License-Identifier: Apache-2.0
// Draws a scene. Holds nothing: what it draws follows from the scene, the theme and the selection.
#pragma once

#include <QFont>
#include <optional>

#include "gui/views/roofline_scene.h"
#include "reports/figure/palette.h"

class QPainter;

namespace mansard {

struct RooflineHighlight {
  std::optional<std::size_t> selected;
  std::optional<std::size_t> hovered;
};

void paint_roofline(QPainter& painter, const RooflineScene& scene, Theme theme,
                    const RooflineHighlight& highlight);

}  // namespace mansard
