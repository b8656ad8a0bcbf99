// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/sample_plot.h"

#include <cmath>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::expect_within;
using testing::kWidths_px;
using testing::measure_text;

constexpr double kHeight_px = 420;

// Two campaigns of four samples: 100, 101, 102, 103 and 104, 105, 106, 107 TFLOP/s.
roofline::Ceiling ceiling() {
  roofline::Ceiling c;
  c.unit = "FLOP/s";
  c.value = 103.5e12;
  for (int i = 0; i < 8; ++i) {
    roofline::Sample s;
    s.value = (100.0 + i) * 1e12;
    s.clock_hz = 1.9e9 + i * 1e6;
    s.power_w = 600.0 - i;
    s.campaign = i / 4;
    c.samples.push_back(s);
  }
  return c;
}

TEST(SamplePlot, PlacesSamplesByNumberAndValue) {
  const SamplePlot plot = *layout_sample_plot(ceiling(), 640, kHeight_px, measure_text);
  ASSERT_EQ(plot.strips.size(), 3u);
  const SampleStrip& rate = plot.strips[0];
  EXPECT_EQ(rate.title.text, "rate (TFLOP/s)");
  EXPECT_EQ(rate.middle_name.text, "median 104 TFLOP/s");
  ASSERT_EQ(rate.dots.size(), 8u);
  const double step = rate.dots[1].at.x - rate.dots[0].at.x;
  EXPECT_NEAR(step, rate.plot.width() / 8, 1e-9);
  EXPECT_NEAR(rate.dots[0].at.x, rate.plot.left + step / 2, 1e-9);
  for (const SampleDot& dot : rate.dots) {
    EXPECT_NEAR(rate.scale.invert(dot.at.y), 100e12 + static_cast<double>(dot.sample) * 1e12, 1);
    expect_within({dot.at.x, dot.at.y, dot.at.x, dot.at.y}, rate.plot, "a dot");
  }
  // Quantiles of type 7 for eight values: positions 1.75 and 5.25.
  EXPECT_DOUBLE_EQ(rate.low, 101.75e12);
  EXPECT_DOUBLE_EQ(rate.high, 105.25e12);
  EXPECT_NEAR(rate.scale.invert(rate.quartiles.top), rate.high, 1);
  EXPECT_NEAR(rate.scale.invert(rate.middle_line.a.y), 103.5e12, 1);
  EXPECT_EQ(plot.strips[1].name, "clock");
  EXPECT_DOUBLE_EQ(plot.strips[2].middle, 596.5);
}

TEST(SamplePlot, SeparatesCampaigns) {
  const SamplePlot plot = *layout_sample_plot(ceiling(), 640, kHeight_px, measure_text);
  ASSERT_EQ(plot.campaigns.size(), 1u);
  const auto& dots = plot.strips[0].dots;
  EXPECT_NEAR(plot.campaigns[0].a.x, (dots[3].at.x + dots[4].at.x) / 2, 1e-9);
}

TEST(SamplePlot, SettlingSamplesAreDrawnButDoNotCount) {
  roofline::Ceiling c = ceiling();
  for (std::size_t i = 0; i < 4; ++i) c.samples[i].settling = true;
  const SamplePlot plot = *layout_sample_plot(c, 640, kHeight_px, measure_text);
  EXPECT_EQ(plot.strips[0].dots.size(), 8u);
  EXPECT_DOUBLE_EQ(plot.strips[0].low, 104.75e12);
  EXPECT_DOUBLE_EQ(plot.strips[2].middle, 594.5);
}

TEST(SamplePlot, OmitsUnknownValues) {
  roofline::Ceiling c = ceiling();
  for (roofline::Sample& s : c.samples) s.power_w = 0;
  c.samples[2].clock_hz = 0;
  c.samples[5].value = NAN;
  const SamplePlot plot = *layout_sample_plot(c, 640, kHeight_px, measure_text);
  ASSERT_EQ(plot.strips.size(), 2u);
  EXPECT_EQ(plot.strips[0].dots.size(), 7u);
  EXPECT_EQ(plot.strips[1].dots.size(), 7u);
  c.samples.clear();
  EXPECT_FALSE(layout_sample_plot(c, 640, kHeight_px, measure_text));
}

TEST(SamplePlot, IsLegibleAtEveryWidthAndForEqualSamples) {
  roofline::Ceiling equal = ceiling();
  for (roofline::Sample& s : equal.samples) s = equal.samples.front();
  roofline::Ceiling one = ceiling();
  one.samples.resize(1);
  for (const roofline::Ceiling& c : {ceiling(), equal, one}) {
    for (const double width : kWidths_px) {
      const SamplePlot plot = *layout_sample_plot(c, width, kHeight_px, measure_text);
      const Rect all{0, 0, width, kHeight_px};
      std::vector<PlacedText> texts = plot.tick_names;
      texts.push_back(plot.axis_name);
      for (const SampleStrip& strip : plot.strips) {
        texts.insert(texts.end(), strip.tick_names.begin(), strip.tick_names.end());
        texts.push_back(strip.title);
        texts.push_back(strip.middle_name);
        EXPECT_GE(strip.ticks.size(), 1u);
      }
      for (std::size_t i = 0; i < texts.size(); ++i) {
        expect_within(texts[i].box, all, texts[i].text);
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_FALSE(testing::overlap(texts[i].box, texts[j].box))
              << texts[i].text << " and " << texts[j].text << " at " << width;
        }
      }
    }
  }
}

TEST(SamplePlot, LinksDotsToTheirSamples) {
  roofline::Ceiling c = ceiling();
  c.samples[6].throttled = true;
  c.samples[1].settling = true;
  const SamplePlot plot = *layout_sample_plot(c, 640, kHeight_px, measure_text);
  const Drawing drawing = draw(plot, c);
  const Point dot = plot.strips[1].dots[6].at;
  EXPECT_EQ(link_at(drawing, {dot.x + 2, dot.y - 2}, 6), (Link{Link::To::sample, 6}));
  EXPECT_FALSE(link_at(drawing, {dot.x, plot.height - 1}, 6));
  for (const Shape& shape : drawing.shapes()) {
    if (shape.link.to != Link::To::sample) continue;
    const Style& style = drawing.style_of(shape);
    EXPECT_EQ(style.fill.has_value(), shape.link.index != 1) << "hollow before it settled";
    const Ink ink = style.fill ? *style.fill : *style.stroke;
    EXPECT_EQ(ink == surface_ink(&Surface::loss), shape.link.index == 6);
  }
}

}  // namespace
}  // namespace mansard::figure
