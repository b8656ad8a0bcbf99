// SPDX-License-Identifier: Apache-2.0
// The roofline as the page holds it: static figures in two sizes for readers without scripts, and
// the data from which the script draws the interactive one in their place.
#pragma once

#include "reports/figure/roofline_figure.h"
#include "reports/section.h"

namespace mansard {

// `run` may be null: the machine alone.
Section roofline_section(const SectionContext& context, const DeviceModel& machine,
                         const RunAnalysis* run);

// The tier whose points are shown first: device memory, then host memory, then any that has points.
MemoryLevel first_level(const RooflineFigure& figure);

// The figure as one sentence, for readers who cannot see it.
std::string describe(const RooflineFigure& figure, const RunAnalysis* run);

}  // namespace mansard
