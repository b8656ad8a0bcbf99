// SPDX-License-Identifier: Apache-2.0
// Compares kernel names of different demanglers: CUPTI writes "f<(int)128, (bool)1>", GNU "f<128,
// true>".
#pragma once

#include <string>
#include <string_view>

namespace mansard::collector {

// Normalizes a name: without spaces, return type, and types and suffixes of literals; anonymous
// namespaces have one spelling.
std::string comparable_name(std::string_view demangled);

// Returns the part of a comparable name before the parameters.
std::string_view without_parameters(std::string_view comparable);

}  // namespace mansard::collector
