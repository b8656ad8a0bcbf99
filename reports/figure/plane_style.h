// SPDX-License-Identifier: Apache-2.0
// Styles of the lines and marks of a plane.
#pragma once

#include "reports/figure/drawing.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

enum class MarkFill : std::uint8_t { solid, tinted, hollow };

inline constexpr double kPlaneTick_px = 5;
inline constexpr double kSavingRing_px = 3;  // from a mark to its ring

Ink line_ink(const PlaneLine& line);
// Returns the color of the name of a line drawn in `ink`, with enough contrast for text. Names of
// lines that the run does not use are `faint`.
Ink line_name_ink(const PlaneLine& line, const Ink& ink, bool faint);
// `bold`: the line applies to the shown tier.
Style line_style(const PlaneLine& line, const Ink& ink, bool bold);
// Solid marks have an outline that separates them from their neighbors.
Style mark_style(const Ink& ink, MarkFill look);
// The ring of a kernel with one of the largest potential savings.
Style saving_ring_style();

// The area of attainable performance of a roofline: below the steepest slope and the highest
// ceiling. Extends beyond the limits of the scales; empty for other planes.
std::vector<Point> below_roof(const PlaneFigure& figure, const LogScale& x, const LogScale& y);

}  // namespace mansard::figure
