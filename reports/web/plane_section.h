// SPDX-License-Identifier: Apache-2.0
// The section of a plane: static figures in two sizes, and the data with which the script replaces
// them by an interactive figure. Its summary is the number of kernels drawn.
#pragma once

#include "reports/figure/plane_figure.h"
#include "reports/section.h"
#include "reports/web/plane_text.h"

namespace mansard::reports {

Section plane_section(const SectionContext& context, const figure::PlaneFigure& figure,
                      const PlaneText& text);

}  // namespace mansard::reports
