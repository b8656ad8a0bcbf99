// SPDX-License-Identifier: Apache-2.0
// Parses values printed by Nsight Compute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard::collector {

// Parses "1,234.5"; NaN for "nan" and "n/a" (value not available); none for other text.
std::optional<double> ncu_number(std::string_view text);

// Returns the rounding error of a printed number: half a unit in the last digit, 0.005 for "49.15".
// 0 for other text.
double ncu_rounding(std::string_view text);

// Returns the factor from this unit to the base unit: bytes, Hz, ns, or these per second for rates.
// ncu chooses prefixes by magnitude ("Gbyte/second", "us"). 1 for units without a prefix.
double ncu_unit_factor(std::string_view unit);

// Parses "(128, 1, 1)" or "128, 1, 1".
std::optional<std::array<std::int32_t, 3>> ncu_dimensions(std::string_view text);

}  // namespace mansard::collector
