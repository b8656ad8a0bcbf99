// SPDX-License-Identifier: Apache-2.0
// Overlay of a plane for the selected row: its points at the other memory tiers, and its gap to
// SOL.
#pragma once

#include <QFontMetricsF>
#include <cstdint>
#include <span>
#include <vector>

#include "reports/figure/plane_layout.h"

namespace mansard::gui {

struct SelectedRow {
  const analysis::RunAnalysis& run;
  std::size_t row = 0;
  const figure::PlaneFigure& figure;
  std::span<const std::uint32_t> points;  // points of the row: indices into the figure's points
};

// Names avoid `labels`; the selection's labels are added to it. `layout` must already have its
// frame and region names.
figure::PlaneSelection lay_out_selection(const SelectedRow& selected,
                                         const figure::PlaneLayout& layout,
                                         const QFontMetricsF& metrics,
                                         std::vector<figure::OrientedBox>& labels);

}  // namespace mansard::gui
