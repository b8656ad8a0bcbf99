// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mansard::analysis {

// A demangled kernel name without return type, namespaces, template parameters and arguments:
// "flash_fwd_kernel" from "void flash::flash_fwd_kernel<Traits<128>, true>(Params)". Names that
// are not C++ declarations are returned unchanged.
std::string short_kernel_name(std::string_view demangled);

}  // namespace mansard::analysis
