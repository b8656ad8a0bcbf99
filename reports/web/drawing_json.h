// SPDX-License-Identifier: Apache-2.0
// A drawing for the page's script (draw.js), as compact as it can be: numbers in arrays.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/figure/drawing.h"

namespace mansard::reports {

// {styles: [CSS], layers: [[x moves, y moves, when, zoom, from, to, starts_px]], texts: [...],
// marks: [path of radius 1 per shape], titles: {link: text}, axes: [...], shapes: [[kind, style,
// layer, link, numbers...]]}. A link is "kernel 3", its part 1 "kernel 3 1"; a mark's numbers are
// its shape, x, y and radius, a text's its index, anchor, angle, width, height and lift, then x and
// y of each place where it stands.
nlohmann::ordered_json drawing_json(const figure::Drawing& drawing);

}  // namespace mansard::reports
