// SPDX-License-Identifier: Apache-2.0
// What a plane adds for the selected row: its points at the other tiers, and how far it is from the
// rate at which its work would take the least possible time.
#pragma once

#include <QFontMetricsF>
#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"

namespace mansard::gui {

struct TierMark {
  MemoryLevel level = MemoryLevel::hbm;
  figure::Point at;
  std::optional<figure::OrientedBox> label;  // empty: no room, or the tier whose marks are shown
};

struct SelectionOverlay {
  // A row does the same FLOP/s, or FLOPs, at every tier, so its points lie on one line. In order
  // along it; empty where there is but one.
  std::vector<TierMark> tiers;
  std::optional<figure::Segment> gap;  // in a roofline, from the mark up to its limit
  // In the upper left corner, which lies above every roof and is free unless one zooms in.
  QString name;
  QString caption;
  figure::OrientedBox name_box;
  figure::OrientedBox caption_box;
};

// What is drawn, and where.
struct OverlayFigure {
  const analysis::RunAnalysis& run;
  const figure::PlaneFigure& figure;
  std::span<const std::uint32_t> points;  // the row's, into the figure's
  std::optional<MemoryLevel> level;       // whose points are shown as marks
};
struct OverlayRoom {
  const figure::LogScale& x;
  const figure::LogScale& y;
  const figure::Rect& plot;
  double top = 0;  // what is above is taken
};

// Labels keep clear of `labels`.
SelectionOverlay lay_out_selection(const OverlayFigure& shown, std::size_t row,
                                   const OverlayRoom& room, const QFontMetricsF& metrics,
                                   std::span<const figure::OrientedBox> labels);

}  // namespace mansard::gui
