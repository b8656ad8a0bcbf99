// SPDX-License-Identifier: Apache-2.0
// Formats quantities. In code a quantity is a double in SI base units, and its name gives the unit
// (time_s, bytes, flop, flop_per_s, bytes_per_s, clock_hz, power_w); only these functions convert
// it to text. 1 FLOP is one add or one multiply, an FMA is two; GB = 1e9 bytes.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace mansard {

// Decimal places that show `digits` significant digits (2 or 3) of a magnitude of 1 to 1000.
inline int decimals_of(double magnitude, int digits) {
  const int before_point = magnitude < (digits == 2 ? 9.95 : 9.995)   ? 1
                           : magnitude < (digits == 2 ? 99.5 : 99.95) ? 2
                                                                      : 3;
  return digits > before_point ? digits - before_point : 0;
}

// "4.05 TB/s" from (4.05e12, "B/s"): significant digits and an SI prefix. NaN and infinity become
// "n/a".
inline std::string format_si(double value, std::string_view unit, int digits = 3) {
  struct Prefix {
    double factor;
    const char* symbol;
  };
  constexpr std::array kPrefixes = {
      Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},  Prefix{1e6, "M"},
      Prefix{1e3, "k"},  Prefix{1.0, ""},   Prefix{1e-3, "m"}, Prefix{1e-6, "µ"}, Prefix{1e-9, "n"},
  };
  if (!std::isfinite(value)) return "n/a";
  const double magnitude = std::fabs(value);
  const Prefix* prefix = &kPrefixes[6];
  if (magnitude > 0) {
    prefix = &kPrefixes.back();
    for (const Prefix& p : kPrefixes) {
      // 999.6 becomes "1.00 k", not "1000 ".
      if (magnitude >= p.factor * 0.9995) {
        prefix = &p;
        break;
      }
    }
  }
  const double scaled = value / prefix->factor;
  const double a = std::fabs(scaled);
  const int decimals = a == 0 ? 0 : decimals_of(a, digits);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, scaled);
  std::string out = text;
  if (unit.empty() && *prefix->symbol == '\0') return out;
  out += ' ';
  out += prefix->symbol;
  out += unit;
  return out;
}

// "1,234,567" from 1234567.
inline std::string format_whole(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

// "1 step", "1,234 steps" from (1234, "step").
inline std::string format_number_of(std::int64_t count, std::string_view noun) {
  return format_whole(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

constexpr double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

// "93.4 %" from 0.934.
inline std::string format_percent(double fraction) {
  if (!std::isfinite(fraction)) return "n/a";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * fraction);
  return text;
}

// "60 MiB" from 62914560: binary prefixes for capacities; format_si() uses decimal ones for
// traffic.
inline std::string format_capacity(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t u = 0;
  while (bytes >= 1024.0 && u + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++u;
  }
  char text[32];
  std::snprintf(text, sizeof text, bytes == std::floor(bytes) ? "%.0f %s" : "%.1f %s", bytes,
                kUnits[u]);
  return text;
}

// "1.25x"
inline std::string format_ratio(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", ratio);
  return text;
}

}  // namespace mansard
