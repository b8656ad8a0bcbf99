// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/steps/idle_causes.h"
#include "reports/figure/part_fill.h"

namespace mansard::figure {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  }
  return out;
}

// Simulation of color vision deficiency in linear RGB: Machado, Oliveira, Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.0.
constexpr std::array<Matrix, 4> kVisions = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};

// Oklab (Ottosson 2020): equal distances look about equally different.
Vector oklab(const Vector& linear) {
  constexpr Matrix kToCones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                                {0.2119034982, 0.6806995451, 0.1073969566},
                                {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix kToLab = {{{0.2104542553, 0.7936177850, -0.0040720468},
                              {1.9779984951, -2.4285922050, 0.4505937099},
                              {0.0259040371, 0.7827717662, -0.8086757660}}};
  Vector cones = times(kToCones, linear);
  for (double& c : cones) c = std::cbrt(c);
  return times(kToLab, cones);
}

// The minimum distance over all kinds of color vision.
double distance(Rgb a, Rgb b) {
  const auto seen = [](Rgb c, const Matrix& vision) {
    Vector linear{};
    const std::array<std::uint8_t, 3> channels = {c.red, c.green, c.blue};
    for (int i = 0; i < 3; ++i) {
      const double v = channels[i] / 255.0;
      linear[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    }
    Vector out = times(vision, linear);
    for (double& v : out) v = std::clamp(v, 0.0, 1.0);
    return oklab(out);
  };
  double least = 1e9;
  for (const Matrix& vision : kVisions) {
    const Vector la = seen(a, vision);
    const Vector lb = seen(b, vision);
    least = std::min(least, std::hypot(la[0] - lb[0], la[1] - lb[1], la[2] - lb[2]));
  }
  return least;
}

constexpr std::array kThemes = {Theme::light, Theme::dark};

TEST(Palette, ContrastFollowsItsDefinition) {
  EXPECT_NEAR(contrast_ratio({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
  EXPECT_NEAR(contrast_ratio({255, 255, 255}, {0x76, 0x76, 0x76}), 4.54, 0.01);
  EXPECT_EQ(to_hex({0x23, 0x61, 0x0d}), "#23610d");
}

TEST(Palette, MarksAndTiersStandOutFromTheBackground) {
  for (const Theme theme : kThemes) {
    const Surface& s = surface(theme);
    for (const Rgb ground : {s.background, s.roof}) {
      for (const std::string& name : analysis::kernel_rules().operation_classes()) {
        EXPECT_GE(contrast_ratio(mark_style(name, theme).color, ground), 3) << name;
      }
      for (const MemoryLevelInfo& tier : kMemoryLevels) {
        EXPECT_GE(contrast_ratio(tier_color(tier.id, theme), ground), 3) << tier.key;
      }
      EXPECT_GE(contrast_ratio(s.accent, ground), 3);
      EXPECT_GE(contrast_ratio(s.compute, ground), 4.5);
      EXPECT_GE(contrast_ratio(s.text, ground), 7);
      EXPECT_GE(contrast_ratio(s.faint_text, ground), 4.5);
    }
  }
}

TEST(Palette, EveryClassHasADistinctStyle) {
  for (const Theme theme : kThemes) {
    std::set<std::tuple<std::string, MarkShape>> styles;
    const MarkStyle gray = mark_style("no such class", theme);
    for (const std::string& name : analysis::kernel_rules().operation_classes()) {
      const MarkStyle style = mark_style(name, theme);
      EXPECT_TRUE(styles.insert({to_hex(style.color), style.shape}).second) << name;
      EXPECT_EQ(style.color == gray.color, name == analysis::kOtherClass) << name;
    }
  }
}

TEST(Palette, ColorsAreDistinctForAllColorVision) {
  for (const Theme theme : kThemes) {
    std::vector<std::string> classes = analysis::kernel_rules().operation_classes();
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const MarkStyle a = mark_style(classes[i], theme);
        const MarkStyle b = mark_style(classes[j], theme);
        // Gray, which has no meaning, may be close to some color in some simulations. Two colors
        // with a distance of 0.02 in Oklab are just noticeably different.
        const bool gray =
            classes[i] == analysis::kOtherClass || classes[j] == analysis::kOtherClass;
        if (a.color == b.color || gray) continue;
        EXPECT_GE(distance(a.color, b.color), 0.08) << classes[i] << " and " << classes[j];
      }
    }
  }
}

TEST(Palette, LegibleColorsKeepTheirHue) {
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    for (const Theme theme : kThemes) {
      const Rgb color = legible(tier_ink(level.id)).in(theme);
      EXPECT_GE(contrast_ratio(color, surface(theme).background), 4.5) << level.label;
    }
  }
  const Ink text = surface_ink(&Surface::text);
  EXPECT_EQ(legible(text), text) << "nothing to do";
  const Ink pale{{250, 240, 240}, {40, 30, 30}};
  EXPECT_NE(legible(pale), pale);
}

TEST(Palette, LossesGainsAndTotalsAreDistinct) {
  constexpr std::array kRoles = {WaterfallRole::total, WaterfallRole::loss, WaterfallRole::gain};
  for (const Theme theme : kThemes) {
    const Surface& s = surface(theme);
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      const Rgb color = role_ink(kRoles[i]).in(theme);
      EXPECT_GE(contrast_ratio(color, s.background), 3) << to_hex(color);
      EXPECT_GE(contrast_ratio(color, s.roof), 3) << to_hex(color);
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(distance(color, role_ink(kRoles[j]).in(theme)), 0.15) << i << " and " << j;
      }
    }
  }
}

using Look = std::tuple<std::string, Texture, bool>;

Look look(const Fill& fill, Theme theme) {
  return {to_hex(fill.color.in(theme)), fill.texture, fill.hollow};
}

TEST(Palette, EveryPartOfAStepHasADistinctFill) {
  std::vector<ChartSeries> parts = {{"communication", "exposed", ""},
                                    {"communication", "waiting for ranks", ""},
                                    {"memcpy_memset", "memcpy and memset", ""},
                                    {"graphs", "recorded whole", ""}};
  for (const std::string& name : analysis::kernel_rules().operation_classes()) {
    // Collectives are communication in a step, never kernels.
    if (name != "collective") parts.push_back({"kernels", name, ""});
  }
  for (const analysis::IdleCauseInfo& cause : analysis::idle_cause_infos()) {
    parts.push_back({"idle", std::string(cause.label), ""});
  }
  for (const Theme theme : kThemes) {
    std::set<Look> looks;
    for (const ChartSeries& part : parts) {
      const Fill fill = part_fill(part, 0);
      EXPECT_TRUE(looks.insert(look(fill, theme)).second) << part.kind << ' ' << part.name;
      EXPECT_GE(contrast_ratio(fill.color.in(theme), surface(theme).background), 3) << part.name;
      EXPECT_EQ(fill.hollow, part.kind == "idle" || part.name == "waiting for ranks");
    }
    // A column that is a whole kind has the fill of the rows of that kind.
    EXPECT_EQ(part_fill({"waiting", "", ""}, 2),
              part_fill({"communication", "waiting for ranks", ""}, 9));
    EXPECT_TRUE(part_fill({"idle", "", ""}, 4).hollow);
    EXPECT_EQ(part_fill({"kernels", "gemm", ""}, 7).color.in(theme),
              mark_style("gemm", theme).color);
  }
}

TEST(Palette, UnknownSeriesAreDistinct) {
  for (const Theme theme : kThemes) {
    std::set<Look> looks;
    for (std::size_t i = 0; i < 24; ++i) {
      const Fill fill = part_fill({"", "", ""}, i);
      EXPECT_TRUE(looks.insert(look(fill, theme)).second) << i;
      EXPECT_FALSE(fill.hollow);
      if (i == 0) continue;
      EXPECT_GE(distance(fill.color.in(theme), part_fill({"", "", ""}, i - 1).color.in(theme)), 0.1)
          << i;
    }
  }
}

TEST(Palette, NeighboringTiersAreDistinct) {
  for (const Theme theme : kThemes) {
    for (const auto& [a, b] : {std::pair{MemoryLevel::shared, MemoryLevel::sm_fill},
                               {MemoryLevel::sm_fill, MemoryLevel::l2},
                               {MemoryLevel::l2, MemoryLevel::hbm},
                               {MemoryLevel::hbm, MemoryLevel::nvlink},
                               {MemoryLevel::nvlink, MemoryLevel::network},
                               {MemoryLevel::nvlink, MemoryLevel::pcie},
                               {MemoryLevel::network, MemoryLevel::pcie},
                               {MemoryLevel::cpu_l3, MemoryLevel::dram}}) {
      EXPECT_GE(distance(tier_color(a, theme), tier_color(b, theme)), 0.05)
          << info(a).key << " and " << info(b).key;
    }
  }
}

TEST(Palette, DenserPixelsStandOutMore) {
  for (const Theme theme : kThemes) {
    const Surface& s = surface(theme);
    double before = 1.5;  // a single launch is visible, also on the area below the roof
    for (int i = 0; i <= 10; ++i) {
      const Rgb color = density_color(i / 10.0, theme);
      const double contrast =
          std::min(contrast_ratio(color, s.background), contrast_ratio(color, s.roof));
      EXPECT_GT(contrast, before) << i;
      before = contrast;
    }
    EXPECT_EQ(density_color(-1, theme), density_color(0, theme));
    EXPECT_EQ(density_color(2, theme), density_color(1, theme));
  }
}

}  // namespace
}  // namespace mansard::figure
