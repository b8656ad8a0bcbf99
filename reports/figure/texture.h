// SPDX-License-Identifier: Apache-2.0
// Lines across a filled area, which distinguish areas of one color in print and for all kinds of
// color vision.
#pragma once

#include <array>
#include <vector>

#include "reports/figure/geometry.h"

namespace mansard::figure {

enum class Texture { plain, rising, falling, vertical, dotted, crossed, horizontal };
inline constexpr std::array kTextures = {Texture::plain,     Texture::rising, Texture::falling,
                                         Texture::vertical,  Texture::dotted, Texture::crossed,
                                         Texture::horizontal};

// Lines inside `area`, a few pixels apart, at positions that do not depend on the area, so that
// neighbors line up. A dot is a line of zero length with a round end.
std::vector<Segment> texture_lines(Texture texture, const Rect& area);

}  // namespace mansard::figure
