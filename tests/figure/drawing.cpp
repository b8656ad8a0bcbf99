// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/drawing.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "reports/figure/svg_writer.h"

namespace mansard::figure {
namespace {

constexpr Link kFirst{Link::To::kernel, 1};
constexpr Link kSecond{Link::To::kernel, 2};

Style red() { return filled({{200, 0, 0}, {255, 90, 90}}); }
Style black() { return stroked({{0, 0, 0}, {0, 0, 0}}, 2); }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Drawing, KeepsEachStyleOnce) {
  Drawing drawing(100, 50);
  const StyleId a = drawing.style(red());
  EXPECT_NE(drawing.style(black()), a);
  EXPECT_EQ(drawing.style(red()), a);
  EXPECT_EQ(drawing.styles().size(), 2u);
}

TEST(Drawing, FindsTheTopmostLink) {
  Drawing drawing(100, 100);
  const StyleId style = drawing.style(red());
  drawing.rect({10, 10, 50, 50}, style, kFirst);
  drawing.mark(MarkShape::circle, {40, 40}, 5, style, kSecond);
  drawing.rect({0, 0, 100, 100}, style);  // has no link
  EXPECT_EQ(link_at(drawing, {20, 20}), kFirst);
  EXPECT_EQ(link_at(drawing, {42, 40}), kSecond);
  EXPECT_EQ(link_at(drawing, {53, 30}, 4), kFirst) << "3 pixels away";
  EXPECT_FALSE(link_at(drawing, {53, 30}, 2));
}

TEST(Drawing, IgnoresClippedShapes) {
  Drawing drawing(100, 100);
  const StyleId style = drawing.style(red());
  drawing.clip({0, 0, 30, 100});
  drawing.rect({10, 10, 50, 50}, style, kFirst);
  drawing.unclip();
  drawing.line({60, 0}, {60, 100}, style, kSecond);
  EXPECT_EQ(link_at(drawing, {20, 20}), kFirst);
  EXPECT_FALSE(link_at(drawing, {40, 20}));
  EXPECT_EQ(link_at(drawing, {62, 20}, 3), kSecond) << "the clip has ended";
}

TEST(Drawing, FindsRotatedTexts) {
  Drawing drawing(100, 100);
  const StyleId style = drawing.style(red());
  // 40 by 10 pixels around (50, 50), rotated by 90 degrees: 10 by 40.
  drawing.text(OrientedBox{{50, 50}, 40, 10, std::numbers::pi / 2}, "HBM", style, kFirst);
  EXPECT_EQ(link_at(drawing, {50, 68}), kFirst);
  EXPECT_FALSE(link_at(drawing, {68, 50}));
}

TEST(Drawing, ReturnsTheBoundsOfALink) {
  Drawing drawing(100, 100);
  const StyleId style = drawing.style(red());
  const std::vector<Point> line = {{5, 20}, {30, 10}, {20, 40}};
  drawing.polyline(line, style, kFirst);
  const Rect area = area_of(drawing, kFirst).value();
  EXPECT_EQ(area.left, 5);
  EXPECT_EQ(area.top, 10);
  EXPECT_EQ(area.right, 30);
  EXPECT_EQ(area.bottom, 40);
  EXPECT_FALSE(area_of(drawing, kSecond));
}

TEST(Drawing, MarksOfOneRadiusHaveOneArea) {
  EXPECT_TRUE(mark_outline(MarkShape::circle).empty());
  for (const MarkShape shape : {MarkShape::square, MarkShape::diamond, MarkShape::triangle_up,
                                MarkShape::triangle_down, MarkShape::hexagon}) {
    const std::vector<Point> p = mark_outline(shape);
    double twice_area = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Point& next = p[(i + 1) % p.size()];
      twice_area += p[i].x * next.y - next.x * p[i].y;
    }
    EXPECT_NEAR(twice_area / 2, std::numbers::pi, 1e-12);
  }
}

TEST(SvgWriter, SharesGroupsAndPaths) {
  Drawing drawing(100, 50);
  const StyleId style = drawing.style(red());
  drawing.rect({0, 0, 10, 10}, style);
  drawing.rect({20, 0, 30.25, 10}, style);
  drawing.rect({40, 0, 50, 10}, style, kFirst);
  drawing.line({0, 0}, {100, 50}, drawing.style(black()));
  drawing.set_title(kFirst, "a <b> & \"c\"");
  const std::string svg = to_svg(drawing, {.css_class = "wide", .description = "one & two"});
  EXPECT_EQ(svg.find("<svg class=\"wide\" viewBox=\"0 0 100 50\" role=\"img\" "
                     "aria-label=\"one &amp; two\">"),
            0u)
      << svg;
  EXPECT_EQ(count(svg, "<g "), 2u) << "one per style";
  EXPECT_EQ(count(svg, "<path "), 3u);
  EXPECT_NE(svg.find("d=\"M0 0h10v10h-10zM20 0h10.2v10h-10.2z\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("fill:#c80000;fill:light-dark(#c80000,#ff5a5a)"), std::string::npos) << svg;
  EXPECT_NE(svg.find("stroke:#000000;stroke-width:2\""), std::string::npos)
      << "one color needs no light-dark(): " << svg;
}

TEST(SvgWriter, WritesATitleOncePerRunOfItsLink) {
  Drawing drawing(100, 50);
  drawing.set_title(kFirst, "row");
  drawing.rect({0, 0, 100, 20}, drawing.style({}), kFirst);
  drawing.rect({0, 0, 60, 20}, drawing.style(red()), kFirst);
  drawing.rect({0, 20, 60, 40}, drawing.style(red()));
  const std::string svg = to_svg(drawing, {});
  EXPECT_EQ(count(svg, "<title>"), 1u);
  EXPECT_EQ(count(svg, "<g"), count(svg, "</g>"));
  EXPECT_LT(svg.find("h60v20"), svg.find("</g>\n</g>")) << "within the title's element";
  EXPECT_GT(svg.find("M0 20h60"), svg.find("</g>\n</g>")) << "after it";
}

TEST(SvgWriter, WritesAStandaloneFile) {
  Drawing drawing(100, 50);
  drawing.rect({0, 0, 10, 10}, drawing.style(red()));
  const std::string svg = to_svg(drawing, {.standalone = true});
  EXPECT_EQ(svg.find("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
                     "xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50\""),
            0u);
  EXPECT_EQ(count(svg, "<rect width=\"100%\" height=\"100%\""), 1u) << "a background";
}

TEST(SvgWriter, WritesTextsAndClips) {
  Drawing drawing(100, 50);
  const StyleId style = drawing.style(red());
  drawing.clip({10, 5, 90, 45});
  drawing.text(PlacedText{"<name>", {20, 10, 60, 25}, TextAnchor::end}, style);
  drawing.unclip();
  const std::string svg = to_svg(drawing, {});
  EXPECT_NE(svg.find("<svg x=\"10\" y=\"5\" width=\"80\" height=\"40\" viewBox=\"10 5 80 40\">"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<text text-anchor=\"end\" x=\"60\" y=\"21.5\">&lt;name&gt;</text>"),
            std::string::npos)
      << svg;
  EXPECT_EQ(count(svg, "<svg"), count(svg, "</svg>"));
}

TEST(SvgWriter, DrawsEveryCellOfARasterOnce) {
  Drawing drawing(100, 50);
  const Raster raster{4, 2, {0, 9, 9, 1, 0, 0, 0, 9}, 9};
  drawing.raster({0, 0, 40, 20}, std::make_shared<Raster>(raster));
  const std::string svg = to_svg(drawing, {});
  EXPECT_NE(svg.find("d=\"M10 0h20v10h-20zM30 10h10v10h-10z\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("d=\"M30 0h10v10h-10z\""), std::string::npos) << svg;
  EXPECT_EQ(count(svg, "<path"), 2u);
}

}  // namespace
}  // namespace mansard::figure
