// SPDX-License-Identifier: Apache-2.0
#include "collector/import/decimal_time.h"

#include <charconv>

#include "support/text.h"

namespace mansard::collector {
namespace {

constexpr int kMaxDigits = 19;  // 19 digits always fit an unsigned 64-bit integer

// value = digits * 10^exponent. Digits beyond kMaxDigits are dropped: they are far below 1 ns, or
// the number is too large anyway.
struct Decimal {
  std::uint64_t digits = 0;
  int count = 0;
  int exponent = 0;

  void add(char c, bool after_point) {
    if (count < kMaxDigits) {
      digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
      if (digits != 0) ++count;
      if (after_point) --exponent;
    } else if (!after_point) {
      ++exponent;
    }
  }
};

}  // namespace

std::optional<std::int64_t> nanoseconds_of_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Decimal number;
  bool any = false;
  bool after_point = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      any = true;
      number.add(text[at], after_point);
    } else if (text[at] == '.' && !after_point) {
      after_point = true;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const char* begin = text.data() + at + 1;
    const char* const end = text.data() + text.size();
    if (begin < end && *begin == '+') ++begin;
    int exponent = 0;
    const auto [rest, error] = std::from_chars(begin, end, exponent);
    if (error != std::errc{} || rest != end || exponent < -100 || exponent > 100) {
      return std::nullopt;
    }
    number.exponent += exponent;
  }
  constexpr auto kMax = static_cast<std::uint64_t>(INT64_MAX);
  std::uint64_t value = number.digits;
  int exponent = number.exponent + 3;  // to nanoseconds
  for (; exponent > 0 && value != 0; --exponent) {
    if (value > kMax / 10) return std::nullopt;
    value *= 10;
  }
  for (; exponent < -1 && value != 0; ++exponent) value /= 10;
  if (exponent == -1) value = (value + 5) / 10;
  if (value > kMax) return std::nullopt;
  const auto time_ns = static_cast<std::int64_t>(value);
  return negative ? -time_ns : time_ns;
}

}  // namespace mansard::collector
