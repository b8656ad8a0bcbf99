// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mansard::collector {

// The C++ name behind a mangled one; any other name as it is.
std::string demangle(const std::string& name);

// Without return type, namespaces, template arguments and parameters:
//   "void at::native::reduce_kernel<512, Op<float> >(Op<float>)" is "reduce_kernel".
std::string short_kernel_name(std::string_view demangled);

}  // namespace mansard::collector
