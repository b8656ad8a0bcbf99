// SPDX-License-Identifier: Apache-2.0
// The timeline as the page holds it: static figures in two sizes and a table for readers without
// scripts, and the data from which the script draws the interactive one in their place.
#pragma once

#include <optional>

#include "reports/section.h"

namespace mansard::reports {

// Nothing of a run in which nothing was recorded with times.
std::optional<Section> timeline_section(const SectionContext& context,
                                        const analysis::RunAnalysis& run);

}  // namespace mansard::reports
