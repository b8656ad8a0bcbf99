// SPDX-License-Identifier: Apache-2.0
// Demanglers write one kernel's name in several ways: CUPTI's "f<(int)128, (bool)1>", GNU's
// "f<128, true>".
#pragma once

#include <string>
#include <string_view>

namespace mansard::collector {

// The same text for the same name: without spaces, return type, and the types and suffixes of
// literals; one word for what is in no named namespace.
std::string comparable_name(std::string_view demangled);

// Of a comparable name, what stands before the parameters.
std::string_view without_parameters(std::string_view comparable);

}  // namespace mansard::collector
