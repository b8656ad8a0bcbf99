// SPDX-License-Identifier: Apache-2.0
// A drawing as compact JSON (arrays of numbers) for the page's script (draw.js).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/figure/drawing.h"

namespace mansard::reports {

// {styles: [CSS], layers: [[x moves, y moves, when, zoom, from, to, starts_px]], texts: [...],
// marks: [path of radius 1 per shape], titles: {link: text}, axes: [...], shapes: [...]}. Shapes
// are
//   ["m", style, link, shape, radius, layer, x, y, layer, x, y, ...]
//   ["t", style, link, text, anchor, angle, width, height, lift, x, y, [layer, t, t...], ...]
//     with texts t pixels from (x, y) in the direction of the angle
//   ["rect" | "lines" | "path" | "area", style, link, layer, x, y, x, y, ...]
//   ["clip", left, top, right, bottom], ["unclip"], ["axis", index]
// A link is "k3" for kernel 3, "k3.1" for its part 1, "l3" for a line, "r3" for a region, "a0" for
// an axis.
nlohmann::ordered_json drawing_json(const figure::Drawing& drawing);

}  // namespace mansard::reports
