// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace mansard::reports {

// Appends "198093488368.463" for 198093488368463 ns. Uses integers, since a double in microseconds
// cannot represent the nanoseconds.
inline void append_microseconds(std::string& out, std::int64_t time_ns) {
  // The minimum value cannot be negated as a signed number.
  const std::uint64_t magnitude_ns =
      time_ns < 0 ? 0 - static_cast<std::uint64_t>(time_ns) : static_cast<std::uint64_t>(time_ns);
  if (time_ns < 0) out += '-';
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, magnitude_ns / 1000).ptr;
  out.append(digits, end);
  const auto rest = static_cast<int>(magnitude_ns % 1000);
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

}  // namespace mansard::reports
