// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/plane_figure.h"
#include "reports/web/svg.h"

namespace mansard::reports {

// The figure as it is first seen: all ceilings, and the points of one tier.
std::string plane_svg(const figure::PlaneFigure& figure, const FigureSize& size,
                      std::string_view escaped_description);

// "Arithmetic intensity at HBM (FLOP/B)"
std::string axis_title(const figure::PlaneAxis& axis, std::optional<MemoryLevel> level);

}  // namespace mansard::reports
