// SPDX-License-Identifier: Apache-2.0
#include "analyzer/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "support/units.h"

namespace mansard::analysis {
namespace {

std::string format_ratio(double value) {
  if (!std::isfinite(value)) return "n/a";
  char text[48];
  const double magnitude = std::fabs(value);
  const int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof text, magnitude < 1e6 ? "%.*fx" : "%.*gx",
                magnitude < 1e6 ? decimals : 3, value);
  return text;
}

// Whether the text shows a value other than zero: "0.00 %" does not.
bool shows_digits(const std::string& text) {
  return text.find_first_of("123456789") != std::string::npos;
}

std::string format_magnitude(double value, const Column& column) {
  switch (column.format) {
    case CellFormat::count:
      // Counts beyond 2^63 are not exact.
      return std::fabs(value) < 9.2e18 ? format_count(value) : format_si(value, "");
    case CellFormat::fraction:
      return format_percent(value);
    case CellFormat::ratio:
      return format_ratio(value);
    case CellFormat::number:
      return format_plain(value, column.digits) + (column.unit.empty() ? "" : " " + column.unit);
    case CellFormat::quantity:
    case CellFormat::text:
      return format_si(value, column.unit, column.digits);
  }
  return {};
}

// "+5.2 %" in a column of differences. A value that rounds to zero has no sign: "0.00x".
std::string format_number(double value, const Column& column) {
  std::string text = format_magnitude(value, column);
  if (!shows_digits(text)) {
    if (text.starts_with('-')) text.erase(0, 1);
  } else if (column.difference && value > 0) {
    text.insert(0, 1, '+');
  }
  return text;
}

}  // namespace

std::string format_count(double value) {
  if (!std::isfinite(value)) return "n/a";
  const double whole = std::round(value);
  if (std::fabs(value - whole) < 0.005 * std::max(1.0, std::fabs(value))) {
    return format_whole(static_cast<std::int64_t>(whole));
  }
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(value) < 0.1 ? "%.2g" : "%.1f", value);
  return text;
}

std::string format_plain(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  char text[48];
  const double magnitude = std::fabs(value);
  if (magnitude > 0 && (magnitude < 1e-3 || magnitude >= 1e6)) {
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
    // printf pads the exponent: "2.00e-05" becomes "2.00e-5", "2.00e+06" becomes "2.00e6".
    std::string padded = text;
    const std::size_t sign = padded.find('e') + 1;
    if (padded[sign] == '+') padded.erase(sign, 1);
    const std::size_t first = padded[sign] == '-' ? sign + 1 : sign;
    if (padded[first] == '0') padded.erase(first, 1);
    return padded;
  }
  // The digits before the point after rounding: 9.996 has two with three significant digits.
  const int before =
      magnitude > 0 ? static_cast<int>(
                          std::floor(std::log10(magnitude * (1 + 0.5 * std::pow(10.0, -digits))))) +
                          1
                    : 1;
  std::snprintf(text, sizeof text, "%.*f", magnitude > 0 ? std::max(0, digits - before) : 0, value);
  return text;
}

std::string format_cell(const Cell& cell, const Column& column) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    // Exact, where a double is not.
    if (column.format == CellFormat::count || column.format == CellFormat::text) {
      return (column.difference && *integer > 0 ? "+" : "") + format_whole(*integer);
    }
    return format_number(static_cast<double>(*integer), column);
  }
  return format_number(std::get<double>(cell), column);
}

}  // namespace mansard::analysis
