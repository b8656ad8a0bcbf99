// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard::collector {

// Converts a decimal number of microseconds ("198093488368.463", "-1.5", "2e3") to the nearest
// nanosecond. Parses digits instead of a double: today's time, 1.7e15 us, has a resolution of only
// 250 ns as a double. Returns nothing if the text is not a number or does not fit.
std::optional<std::int64_t> nanoseconds_of_microseconds(std::string_view text);

}  // namespace mansard::collector
