// SPDX-License-Identifier: Apache-2.0
// What a plane adds for the selected row: its points at the other tiers, and its distance from its
// speed of light.
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
  std::span<const std::uint32_t> points;  // the row's, into the figure's
};

// Names keep clear of `labels`, to which those of the selection are added. `layout` has its frame
// and the names of its regions already.
figure::PlaneSelection lay_out_selection(const SelectedRow& selected,
                                         const figure::PlaneLayout& layout,
                                         const QFontMetricsF& metrics,
                                         std::vector<figure::OrientedBox>& labels);

}  // namespace mansard::gui
