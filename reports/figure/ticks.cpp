// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace mansard::figure {
namespace {

constexpr double kMinorGap_px = 4;
// For even steps: an axis with fewer labels counts as unlabeled.
constexpr std::size_t kFewLabels = 3;

struct Prefix {
  int exponent;
  const char* symbol;
};
constexpr std::array kPrefixes = {
    Prefix{18, "E"}, Prefix{15, "P"}, Prefix{12, "T"}, Prefix{9, "G"},  Prefix{6, "M"},
    Prefix{3, "k"},  Prefix{0, ""},   Prefix{-3, "m"}, Prefix{-6, "µ"}, Prefix{-9, "n"},
};
constexpr double kPrefixSlack = 1 + 1e-9;  // lets 999.9999999 count as 1 k

// 10^exponent times a digit. pow() is exact for these powers of ten, repeated multiplication is
// not.
double power_of_ten(int exponent, double digit = 1) {
  return exponent >= 0 ? digit * std::pow(10.0, exponent) : digit / std::pow(10.0, -exponent);
}

bool in_range(const LogScale& scale, double value) {
  // Includes a decade at the very end of the axis despite rounding.
  constexpr double kTicksSlack = 1e-9;
  return value >= scale.min() * (1 - kTicksSlack) && value <= scale.max() * (1 + kTicksSlack);
}

// Pixels between 9 and 10, the closest digits of a decade.
double digit_gap_px(const LogScale& scale) {
  return std::log10(10.0 / 9.0) * scale.pixels_per_decade();
}

bool labeled_digit(int digit, double pixels_per_decade, double gap_px) {
  if (digit == 1) return true;
  const double two_px = std::log10(2.0) * pixels_per_decade;  // 1-2 and 5-10; 2-5 is wider
  const double all_px = std::log10(10.0 / 9.0) * pixels_per_decade;
  if (all_px >= gap_px) return true;
  return two_px >= gap_px && (digit == 2 || digit == 5);
}

// Decades between labels if a decade is too narrow for one. Multiples of three match SI prefixes.
int decade_step(double pixels_per_decade, double gap_px) {
  int step = 1;
  for (const int candidate : {1, 2, 3, 6, 12, 24, 48}) {
    step = candidate;
    if (candidate * pixels_per_decade >= gap_px) break;
  }
  return step;
}

std::vector<Tick> decade_ticks(const LogScale& scale, TickLabels labels, double gap_px) {
  std::vector<Tick> out;
  const int first = static_cast<int>(std::floor(std::log10(scale.min()) - 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(scale.max()) + 1e-9));
  const double px = scale.pixels_per_decade();
  const int step = decade_step(px, gap_px);
  const bool minor = digit_gap_px(scale) >= kMinorGap_px;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= (minor ? 9 : 1); ++digit) {
      const double value = power_of_ten(exponent, digit);
      if (!in_range(scale, value)) continue;
      const bool labeled = digit == 1 ? exponent % step == 0 : labeled_digit(digit, px, gap_px);
      out.push_back(
          {value, scale.map(value), digit == 1, labeled ? tick_label(value, labels) : ""});
    }
  }
  return out;
}

// Steps of 1, 2 or 5 times a power of ten, such that the closest ticks on the screen (the largest
// values) are far enough apart.
std::vector<Tick> even_ticks(const LogScale& scale, TickLabels labels, double gap_px) {
  const double per_px = scale.max() * (std::pow(10.0, 1 / scale.pixels_per_decade()) - 1);
  const double wanted = per_px * gap_px;
  const int exponent = static_cast<int>(std::floor(std::log10(wanted)));
  double step = power_of_ten(exponent + 1);
  for (const int digit : {1, 2, 5}) {
    if (power_of_ten(exponent, digit) >= wanted) {
      step = power_of_ten(exponent, digit);
      break;
    }
  }
  std::vector<Tick> out;
  for (double k = std::ceil(scale.min() / step - 1e-9); in_range(scale, k * step); ++k) {
    out.push_back({k * step, scale.map(k * step), true, tick_label(k * step, labels)});
  }
  return out;
}

std::size_t labeled(std::span<const Tick> list) {
  std::size_t count = 0;
  for (const Tick& tick : list) count += tick.label.empty() ? 0 : 1;
  return count;
}

}  // namespace

std::vector<Tick> ticks(const LogScale& scale, TickLabels labels, double label_gap_px) {
  std::vector<Tick> out = decade_ticks(scale, labels, label_gap_px);
  // For more than a decade, decade_ticks() has as many labels as fit.
  if (scale.decades() >= 1 || labeled(out) >= kFewLabels) return out;
  std::vector<Tick> even = even_ticks(scale, labels, label_gap_px);
  return labeled(even) > labeled(out) ? even : out;
}

std::string tick_label(double value, TickLabels labels) {
  const bool plain = labels == TickLabels::number && value < 1e3 && value >= 1e-4;
  char text[48];
  for (const Prefix& prefix : kPrefixes) {
    if (plain && prefix.exponent != 0) continue;
    if (!plain && value * kPrefixSlack < power_of_ten(prefix.exponent)) continue;
    if (value * (1 - 1e-9) >= 1e21 || (labels == TickLabels::number && value < 1e-4)) break;
    // %g writes up to six digits and drops trailing zeros; below 1e-4 it would turn scientific.
    std::string unit = prefix.symbol;
    if (labels == TickLabels::seconds) unit += 's';
    std::snprintf(text, sizeof text, "%.6g%s%s", value / power_of_ten(prefix.exponent),
                  unit.empty() ? "" : " ", unit.c_str());
    return text;
  }
  std::snprintf(text, sizeof text, "%.6g", value);
  std::string label = text;
  // printf pads the exponent: "1e-05" becomes "1e-5".
  if (const std::size_t sign = label.find("e-0"); sign != std::string::npos) {
    label.erase(sign + 2, 1);
  }
  return labels == TickLabels::seconds ? label + " s" : label;
}

SiPrefix si_prefix(double magnitude) {
  if (!(magnitude > 0)) return {};
  const auto* prefix = std::ranges::find_if(kPrefixes, [&](const Prefix& p) {
    return magnitude * kPrefixSlack >= power_of_ten(p.exponent);
  });
  if (prefix == kPrefixes.end()) --prefix;
  return {power_of_ten(prefix->exponent), prefix->symbol};
}

}  // namespace mansard::figure
