// SPDX-License-Identifier: Apache-2.0
// Values as Nsight Compute prints them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard::collector {

// "1,234.5"; NaN for "nan" and "n/a", which the GPU or the tool could not give; none for a text.
std::optional<double> ncu_number(std::string_view text);

// By how much the number may differ from the one that it was rounded from: half of its last digit,
// 0.005 of "49.15". 0 for what is no number.
double ncu_rounding(std::string_view text);

// What a value in this unit is to be multiplied with to be in the metric's base unit: bytes, Hz,
// ns, and for rates these a second. ncu chooses prefixes by the size of a value ("Gbyte/second",
// "us"). 1 for units without any.
double ncu_unit_factor(std::string_view unit);

// "(128, 1, 1)" or "128, 1, 1".
std::optional<std::array<std::int32_t, 3>> ncu_dimensions(std::string_view text);

}  // namespace mansard::collector
