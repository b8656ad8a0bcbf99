// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard::collector {

// Nanoseconds of a decimal number of microseconds ("198093488368.463", "-1.5", "2e3"), to the
// nearest. From the digits: a double of 1.7e15 us, which is today, has steps of 250 ns. None for
// what is no number, or does not fit.
std::optional<std::int64_t> nanoseconds_of_microseconds(std::string_view text);

}  // namespace mansard::collector
