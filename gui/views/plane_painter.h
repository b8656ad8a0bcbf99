// SPDX-License-Identifier: Apache-2.0
// Draws a scene. Holds nothing: what it draws follows from the scene, the theme and the selection.
#pragma once

#include <QImage>
#include <optional>

#include "gui/views/plane_scene.h"
#include "reports/figure/palette.h"

class QPainter;

namespace mansard::gui {

struct PlaneHighlight {
  std::optional<std::size_t> selected;
  std::optional<std::size_t> hovered;
};

// Of the launches; null where they are not shown.
struct DensityPicture {
  const QImage* image = nullptr;
  std::uint32_t highest = 0;  // launches in a pixel
  bool awaited = false;       // there will be an image
};

void paint_plane(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                 const PlaneHighlight& highlight, const DensityPicture& density);

}  // namespace mansard::gui
