// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/texture.h"

#include <cmath>

namespace mansard::figure {
namespace {

constexpr double kPitch_px = 6;

// The lines x + slope * y = k * pitch.
void add_slanted(std::vector<Segment>& out, const Rect& area, double slope, double pitch) {
  const auto sum = [&](double x, double y) { return x + slope * y; };
  const double low = std::fmin(sum(area.left, area.top), sum(area.left, area.bottom));
  const double high = std::fmax(sum(area.right, area.top), sum(area.right, area.bottom));
  for (double k = std::ceil(low / pitch); k * pitch < high; ++k) {
    const auto x = [&](double y) { return k * pitch - slope * y; };
    const auto line = clip({{x(area.bottom), area.bottom}, {x(area.top), area.top}}, area);
    if (line && (line->a.x != line->b.x || line->a.y != line->b.y)) out.push_back(*line);
  }
}

void add_horizontal(std::vector<Segment>& out, const Rect& area, double pitch) {
  for (double y = std::ceil(area.top / pitch) * pitch; y < area.bottom; y += pitch) {
    out.push_back({{area.left, y}, {area.right, y}});
  }
}

void add_dots(std::vector<Segment>& out, const Rect& area) {
  constexpr double kInset_px = 1;  // half of a dot
  for (double y = std::ceil((area.top + kInset_px) / kPitch_px) * kPitch_px;
       y <= area.bottom - kInset_px; y += kPitch_px) {
    for (double x = std::ceil((area.left + kInset_px) / kPitch_px) * kPitch_px;
         x <= area.right - kInset_px; x += kPitch_px) {
      out.push_back({{x, y}, {x, y}});
    }
  }
}

}  // namespace

std::vector<Segment> texture_lines(Texture texture, const Rect& area) {
  std::vector<Segment> out;
  if (!(area.width() > 0) || !(area.height() > 0)) return out;
  switch (texture) {
    case Texture::plain:
      break;
    case Texture::rising:
      add_slanted(out, area, 1, kPitch_px);
      break;
    case Texture::falling:
      add_slanted(out, area, -1, kPitch_px);
      break;
    case Texture::vertical:
      add_slanted(out, area, 0, kPitch_px);
      break;
    case Texture::dotted:
      add_dots(out, area);
      break;
    case Texture::crossed:
      add_slanted(out, area, 1, 1.5 * kPitch_px);
      add_slanted(out, area, -1, 1.5 * kPitch_px);
      break;
    case Texture::horizontal:
      add_horizontal(out, area, 0.75 * kPitch_px);
      break;
  }
  return out;
}

}  // namespace mansard::figure
