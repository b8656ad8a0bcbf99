// SPDX-License-Identifier: Apache-2.0
#include "collector/import/ncu_value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace mansard::collector {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

constexpr std::array kTimes_ns = {
    std::pair<std::string_view, double>{"nsecond", 1},
    std::pair<std::string_view, double>{"ns", 1},
    std::pair<std::string_view, double>{"usecond", 1e3},
    std::pair<std::string_view, double>{"us", 1e3},
    std::pair<std::string_view, double>{"msecond", 1e6},
    std::pair<std::string_view, double>{"ms", 1e6},
    std::pair<std::string_view, double>{"second", 1e9},
    std::pair<std::string_view, double>{"s", 1e9},
};

std::optional<double> time_ns(std::string_view unit) {
  for (const auto& [name, ns] : kTimes_ns) {
    if (name == unit) return ns;
  }
  return std::nullopt;
}

// Prefixes as in "Kbyte" and "Ghz"; a single capital letter, or one before another capital letter,
// is not a prefix.
double prefix_factor(std::string_view unit) {
  if (unit.size() < 2 || unit[1] < 'a' || unit[1] > 'z') return 1;
  switch (unit[0]) {
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    case 'P':
      return 1e15;
    default:
      return 1;
  }
}

}  // namespace

std::optional<double> ncu_number(std::string_view text) {
  text = trimmed(text);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (text == "nan" || text == "-nan" || text == "NaN" || text.ends_with("n/a")) return kNone;
  std::string digits;
  for (const char c : text) {
    const bool after_point = digits.find('.') != std::string::npos;
    if (c != ',' || after_point) digits += c;  // ncu writes no comma after the point
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

double ncu_rounding(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> number = ncu_number(text);
  if (!number || !std::isfinite(*number)) return 0;
  const std::size_t point = text.find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : text.size() - point - 1;
  return 0.5 * std::pow(10, -static_cast<double>(digits));
}

double ncu_unit_factor(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  const std::string_view counted = trimmed(unit.substr(0, slash));
  double factor = time_ns(counted).value_or(prefix_factor(counted));
  if (slash != std::string_view::npos) {
    const std::optional<double> per_ns = time_ns(trimmed(unit.substr(slash + 1)));
    if (per_ns) factor *= 1e9 / *per_ns;
  }
  return factor;
}

std::optional<std::array<std::int32_t, 3>> ncu_dimensions(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::array<std::int32_t, 3> dimensions = {};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    while (at < end && (*at == ' ' || (i > 0 && *at == ','))) ++at;
    const auto [rest, error] = std::from_chars(at, end, dimensions[i]);
    if (error != std::errc{}) return std::nullopt;
    at = rest;
  }
  return at == end ? std::optional(dimensions) : std::nullopt;
}

}  // namespace mansard::collector
