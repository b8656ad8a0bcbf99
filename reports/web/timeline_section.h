// SPDX-License-Identifier: Apache-2.0
// The section of the timeline: static figures in two sizes, a table, and the data with which the
// script replaces the figures by an interactive one.
#pragma once

#include <optional>

#include "reports/section.h"

namespace mansard::reports {

// Returns nothing if the run has no records with times.
std::optional<Section> timeline_section(const SectionContext& context,
                                        const analysis::RunAnalysis& run);

}  // namespace mansard::reports
