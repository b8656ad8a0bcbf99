// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace mansard::figure {
namespace {

// Kinds of operation, in the order of the color tables.
enum Kind { matrix, attention, format, norm, elementwise, movement, collective, update, other };

struct ClassEntry {
  analysis::OperationClass name;
  Kind kind;
  MarkShape shape;
};

const std::array kClasses = {
    ClassEntry{"gemm", matrix, MarkShape::circle},
    ClassEntry{"convolution", matrix, MarkShape::square},
    ClassEntry{"attention", attention, MarkShape::square},
    ClassEntry{"softmax", attention, MarkShape::circle},
    ClassEntry{"linear_attention", attention, MarkShape::diamond},
    ClassEntry{"autotuning", update, MarkShape::diamond},
    ClassEntry{"quantize", format, MarkShape::diamond},
    ClassEntry{"dequantize", format, MarkShape::square},
    ClassEntry{"amax", format, MarkShape::triangle_up},
    ClassEntry{"rht", format, MarkShape::hexagon},
    ClassEntry{"cast", format, MarkShape::triangle_down},
    ClassEntry{"norm", norm, MarkShape::hexagon},
    ClassEntry{"reduction", norm, MarkShape::triangle_down},
    ClassEntry{"pooling", norm, MarkShape::square},
    ClassEntry{"sort", norm, MarkShape::diamond},
    ClassEntry{"elementwise", elementwise, MarkShape::triangle_up},
    ClassEntry{"activation", elementwise, MarkShape::circle},
    ClassEntry{"loss", elementwise, MarkShape::square},
    ClassEntry{"sampling", elementwise, MarkShape::diamond},
    ClassEntry{"copy", movement, MarkShape::square},
    ClassEntry{"transpose", movement, MarkShape::diamond},
    ClassEntry{"embedding", movement, MarkShape::circle},
    ClassEntry{"collective", collective, MarkShape::triangle_down},
    ClassEntry{"moe_routing", collective, MarkShape::triangle_up},
    ClassEntry{"optimizer", update, MarkShape::hexagon},
};

// Hues chosen by kind; lightness and chroma optimized for the largest minimum distance in the
// simulations of tests/figure/palette.cpp.
constexpr std::array<Rgb, 9> kLightKinds = {{
    {0x23, 0x61, 0xd3},
    {0x7b, 0x51, 0x8e},
    {0xa5, 0x59, 0x43},
    {0x2d, 0x4c, 0x1f},
    {0x07, 0x9c, 0xb8},
    {0xa1, 0x90, 0x00},
    {0xe7, 0x57, 0x88},
    {0x71, 0x08, 0x65},
    {0x76, 0x7b, 0x82},
}};
constexpr std::array<Rgb, 9> kDarkKinds = {{
    {0x59, 0x6c, 0xe7},
    {0xb9, 0x91, 0xfc},
    {0xf6, 0x9a, 0x1f},
    {0x92, 0xfb, 0x84},
    {0x57, 0xba, 0xa0},
    {0x82, 0x7f, 0x07},
    {0xc2, 0x43, 0x8b},
    {0xf9, 0xcc, 0xf3},
    {0x9a, 0xa0, 0xa8},
}};

// In the order of MemoryLevel. Host caches have the colors of device caches: no figure shows both.
constexpr std::array<Rgb, kMemoryLevels.size()> kLightTiers = {{
    {0xb5, 0x6c, 0xa6},
    {0x8e, 0x6a, 0xc7},
    {0x4c, 0x69, 0xab},
    {0x00, 0x6d, 0x77},
    {0x1e, 0x88, 0x9d},
    {0x19, 0x47, 0x64},
    {0x7a, 0x55, 0x26},
    {0xa8, 0x4b, 0x5e},
    {0x94, 0x83, 0x3f},
    {0x8e, 0x6a, 0xc7},
    {0x4c, 0x69, 0xab},
    {0x1e, 0x88, 0x9d},
    {0x19, 0x47, 0x64},
}};
constexpr std::array<Rgb, kMemoryLevels.size()> kDarkTiers = {{
    {0xa5, 0x69, 0x98},
    {0x8f, 0x78, 0xba},
    {0x8c, 0x99, 0xdd},
    {0x5f, 0xd3, 0xdc},
    {0x74, 0xc2, 0xee},
    {0xb2, 0xdf, 0xfa},
    {0xdf, 0xb5, 0x85},
    {0xe3, 0x8c, 0x9c},
    {0xa3, 0x92, 0x4f},
    {0x8f, 0x78, 0xba},
    {0x8c, 0x99, 0xdd},
    {0x74, 0xc2, 0xee},
    {0xb2, 0xdf, 0xfa},
}};

// Colors for one launch per pixel and for the maximum.
constexpr std::array<Rgb, 2> kLightDensity = {{{0x9d, 0xb4, 0xd6}, {0x10, 0x2a, 0x5c}}};
constexpr std::array<Rgb, 2> kDarkDensity = {{{0x43, 0x5f, 0x8c}, {0xe6, 0xf0, 0xff}}};

constexpr Surface kLight = {.background = {0xff, 0xff, 0xff},
                            .roof = {0xf4, 0xf7, 0xfa},
                            .grid = {0xd9, 0xde, 0xe4},
                            .grid_minor = {0xed, 0xf0, 0xf3},
                            .axis = {0x8a, 0x93, 0x9e},
                            .text = {0x1f, 0x26, 0x2e},
                            .faint_text = {0x5a, 0x64, 0x70},
                            .compute = {0x3a, 0x43, 0x4d},
                            .accent = {0xc8, 0x3a, 0x00},
                            .loss = {0xc8, 0x57, 0x0a},
                            .gain = {0x18, 0x88, 0xa8}};
constexpr Surface kDark = {.background = {0x1b, 0x1e, 0x23},
                           .roof = {0x22, 0x27, 0x2d},
                           .grid = {0x39, 0x40, 0x49},
                           .grid_minor = {0x29, 0x2e, 0x35},
                           .axis = {0x7c, 0x86, 0x92},
                           .text = {0xe8, 0xec, 0xf0},
                           .faint_text = {0xa4, 0xad, 0xb8},
                           .compute = {0xcf, 0xd6, 0xde},
                           .accent = {0xff, 0x8a, 0x5c},
                           .loss = {0xf0, 0x8a, 0x4b},
                           .gain = {0x4a, 0xa8, 0xd8}};

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Rgb c) {
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

}  // namespace

std::string to_hex(Rgb color) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color.red, color.green, color.blue);
  return text;
}

double contrast_ratio(Rgb a, Rgb b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Rgb mixed(Rgb a, Rgb b, double share_of_b) {
  const auto channel = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share_of_b));
  };
  return {channel(a.red, b.red), channel(a.green, b.green), channel(a.blue, b.blue)};
}

Ink mixed(const Ink& a, const Ink& b, double share_of_b) {
  return {mixed(a.light, b.light, share_of_b), mixed(a.dark, b.dark, share_of_b)};
}

Ink readable_on(const Ink& ground) {
  constexpr Rgb kBlack{0, 0, 0};
  constexpr Rgb kWhite{255, 255, 255};
  const auto readable = [&](Rgb color) {
    return contrast_ratio(color, kWhite) >= contrast_ratio(color, kBlack) ? kWhite : kBlack;
  };
  return {readable(ground.light), readable(ground.dark)};
}

Ink legible(const Ink& ink) {
  constexpr double kLegible = 4.5;
  constexpr int kSteps = 20;
  const auto darkened = [](Rgb color, const Surface& s) {
    const auto mixed = [](std::uint8_t from, std::uint8_t to, int step) {
      return static_cast<std::uint8_t>(from + (to - from) * step / kSteps);
    };
    Rgb out = color;
    for (int step = 1; step <= kSteps && contrast_ratio(out, s.background) < kLegible; ++step) {
      out = {mixed(color.red, s.text.red, step), mixed(color.green, s.text.green, step),
             mixed(color.blue, s.text.blue, step)};
    }
    return out;
  };
  return {darkened(ink.light, kLight), darkened(ink.dark, kDark)};
}

MarkStyle mark_style(analysis::OperationClass operation_class, Theme theme) {
  const auto& kinds = theme == Theme::light ? kLightKinds : kDarkKinds;
  const auto* entry = std::ranges::find(kClasses, operation_class, &ClassEntry::name);
  if (entry == kClasses.end()) return {kinds[other], MarkShape::circle};
  return {kinds[entry->kind], entry->shape};
}

Ink class_ink(analysis::OperationClass operation_class) {
  return {mark_style(operation_class, Theme::light).color,
          mark_style(operation_class, Theme::dark).color};
}

MarkShape class_shape(analysis::OperationClass operation_class) {
  return mark_style(operation_class, Theme::light).shape;
}

std::size_t rank_in_color(analysis::OperationClass operation_class) {
  const auto* entry = std::ranges::find(kClasses, operation_class, &ClassEntry::name);
  if (entry == kClasses.end()) return 0;
  return static_cast<std::size_t>(
      std::count_if(kClasses.begin(), entry,
                    [&](const ClassEntry& before) { return before.kind == entry->kind; }));
}

Rgb tier_color(MemoryLevel level, Theme theme) {
  const auto& tiers = theme == Theme::light ? kLightTiers : kDarkTiers;
  return tiers[static_cast<std::size_t>(level)];
}

Ink tier_ink(MemoryLevel level) {
  return {tier_color(level, Theme::light), tier_color(level, Theme::dark)};
}

Rgb density_color(double amount, Theme theme) {
  const auto& [few, many] = theme == Theme::light ? kLightDensity : kDarkDensity;
  return mixed(few, many, std::clamp(amount, 0.0, 1.0));
}

const Surface& surface(Theme theme) { return theme == Theme::light ? kLight : kDark; }

Ink surface_ink(Rgb Surface::*role) { return {kLight.*role, kDark.*role}; }

}  // namespace mansard::figure
