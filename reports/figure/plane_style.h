// SPDX-License-Identifier: Apache-2.0
// How lines and marks of a plane look, in every drawing of it.
#pragma once

#include "reports/figure/drawing.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

enum class MarkFill : std::uint8_t { solid, tinted, hollow };

inline constexpr double kTick_px = 5;

Ink line_ink(const PlaneLine& line);
// Returns the color of the name of a line drawn in `ink`, with enough contrast for text.
Ink line_name_ink(const PlaneLine& line, const Ink& ink);
// `bold`: bounds what is shown.
Style line_style(const PlaneLine& line, const Ink& ink, bool bold);
// Solid marks have an outline that parts them from their neighbors.
Style mark_style(const Ink& ink, MarkFill look);

// Where kernels of a roofline can lie: no ceiling, drawn or not, is above the steepest slope and
// the highest ceiling. Reaches beyond the limits of the scales; empty in other planes.
std::vector<Point> below_roof(const PlaneFigure& figure, const LogScale& x, const LogScale& y);

}  // namespace mansard::figure
