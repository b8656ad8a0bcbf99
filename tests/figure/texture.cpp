// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/texture.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr Rect kArea{13, 27, 131, 45};

TEST(Texture, StaysInsideItsArea) {
  for (const Texture texture : kTextures) {
    const auto lines = texture_lines(texture, kArea);
    EXPECT_EQ(lines.empty(), texture == Texture::plain);
    for (const Segment& line : lines) {
      EXPECT_TRUE(kArea.contains(line.a) && kArea.contains(line.b));
    }
  }
}

// Distinguished by the direction and number of lines in an area where all textures have lines.
TEST(Texture, EachIsDifferent) {
  std::set<std::tuple<bool, bool, bool, std::size_t>> seen;
  for (const Texture texture : kTextures) {
    bool rises = false;
    bool falls = false;
    bool level = false;
    const auto lines = texture_lines(texture, kArea);
    for (const Segment& line : lines) {
      const double dx = line.b.x - line.a.x;
      const double dy = line.b.y - line.a.y;
      rises = rises || dx * dy < 0;
      falls = falls || dx * dy > 0;
      level = level || (dx != 0 && dy == 0);
    }
    EXPECT_TRUE(seen.insert({rises, falls, level, lines.size()}).second);
  }
}

TEST(Texture, LinesOfNeighborsMeet) {
  const Rect left{10, 20, 50, 40};
  const Rect right{50, 20, 90, 40};
  std::vector<double> offsets;  // of x + y, the same along a rising line
  for (const Rect& area : {left, right}) {
    for (const Segment& line : texture_lines(Texture::rising, area)) {
      offsets.push_back(line.a.x + line.a.y);
    }
  }
  std::ranges::sort(offsets);
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const double apart = offsets[i] - offsets[i - 1];
    EXPECT_TRUE(apart < 1e-9 || std::abs(apart - 6) < 1e-9) << apart;
  }
}

TEST(Texture, EmptyAreaHasNoLines) {
  for (const Texture texture : kTextures) {
    EXPECT_TRUE(texture_lines(texture, {5, 5, 5, 20}).empty());
    EXPECT_TRUE(texture_lines(texture, {5, 5, NAN, 20}).empty());
  }
}

}  // namespace
}  // namespace mansard::figure
