// SPDX-License-Identifier: Apache-2.0
// A plane as the page holds it: static figures in two sizes for readers without scripts, and the
// data from which the script draws the interactive one in their place.
#pragma once

#include "reports/figure/plane_figure.h"
#include "reports/section.h"
#include "reports/web/plane_text.h"

namespace mansard::reports {

Section plane_section(const SectionContext& context, const figure::PlaneFigure& figure,
                      const PlaneText& text);

}  // namespace mansard::reports
