// SPDX-License-Identifier: Apache-2.0
// The labels of a zoomable plane. Names of lines and regions are placed for a few zoom factors, in
// tiles of the size of the screen; those of the part that is shown first exactly, with the names of
// the largest marks.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/figure/drawing.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/plane_zoom.h"

namespace mansard::figure {

// Zoom factors for which labels are placed.
inline constexpr std::array kLabelZooms = {0.7, 1.0, 2.0, 4.0, 8.0};

// Keys of layers, see draw_zoomable_plane().
class LayerKeys {
 public:
  explicit LayerKeys(const PlaneFigure& figure) : figure_(figure) {}

  static std::string tier(const std::optional<MemoryLevel>& level);
  // The key of shapes that are drawn while the lines of the tier are highlighted.
  std::string lines(const std::optional<MemoryLevel>& level) const;
  // Whether the figure has no points at the tier, so that it cannot be chosen.
  bool never_chosen(const std::optional<MemoryLevel>& level) const;
  static std::string joined(const std::string& a, const std::string& b);

 private:
  const PlaneFigure& figure_;
};

// How a point moves with zoom: unknown values stay on the edge of the plot.
Layer layer_at(const PlaneFigure& figure, PlanePosition point, std::string when);

// A label in pixels of the drawing.
struct ZoomLabel {
  Link link;
  std::string text;
  Ink ink;
  OrientedBox box;  // its anchor is the point that moves
  TextAnchor anchor = TextAnchor::middle;
  double lift = 0;
  Layer layer = {.x_moves = true, .y_moves = true};
};

struct LabeledPlane {
  const PlaneFigure& figure;
  std::span<const PlaneLine> lines;  // extended beyond every view
  Rect plot;                         // of the drawing
  std::size_t max_rows = 0;          // rows from here on have no marks
};

// The labels along lines and in regions for a screen of this size and one of kLabelZooms. Lines of
// the first tier are labeled first, then those of other tiers if there is
// room, so that labels do not overlap for any choice of tiers.
std::vector<ZoomLabel> zoom_labels(const LabeledPlane& plane, const ZoomSize& size, double zoom,
                                   const MeasureText& measure);

// The labels of the part that is shown first.
std::vector<ZoomLabel> first_labels(const LabeledPlane& plane, const ZoomSize& size,
                                    const MeasureText& measure);

}  // namespace mansard::figure
